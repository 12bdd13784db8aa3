// chrF: the F-score of character n-grams (Popović 2015), and chrF++, which adds those of words
// (Popović 2017), as sacreBLEU computes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skein/text/metric.h"

namespace skein {

struct ChrfOptions {
  int character_order = 6;
  int word_order = 0;  // 2: chrF++
  int beta = 2;        // recall counts beta times as much as precision
  bool lower_case = false;
  bool white_space = false;  // n-grams of characters span words, with the spaces in them
  // Mean of the F-scores of all orders, empty ones counted as 1e-16 (chrF++.py, Moses, NLTK), in
  // place of the F-score of mean precision and recall over the orders that both sides have.
  bool epsilon_smoothing = false;
};

class Chrf : public Metric {
 public:
  // Throws UsageError when an order is negative, both are 0, or beta is below 1.
  explicit Chrf(ChrfOptions options = {});

  // "chrF2", "chrF2++": beta, and a plus for each order of words.
  std::string name() const override;
  std::string signature(size_t reference_count) const override;
  // For each order, characters then words: n-grams of the hypothesis, of the reference, matches.
  size_t width() const override { return 3 * orders(); }
  // Of several references, the one with the best score of this sentence counts.
  void sentence_statistics(std::string_view hypothesis,
                           std::span<const std::string_view> references,
                           std::span<double> statistics) const override;
  MetricScore score(std::span<const double> sums) const override;

 private:
  size_t orders() const {
    return static_cast<size_t>(options_.character_order) + static_cast<size_t>(options_.word_order);
  }
  double f_score(std::span<const double> statistics) const;
  std::vector<uint32_t> characters_of(std::string_view text) const;

  ChrfOptions options_;
};

}  // namespace skein
