// BLEU: the geometric mean of clipped n-gram precisions times a brevity penalty (Papineni et al.
// 2002), with the tokenisations and smoothings of sacreBLEU (Post 2018; Chen and Cherry 2014).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "skein/text/bleu_tokenizer.h"
#include "skein/text/metric.h"

namespace skein {

// What stands for the precision of an order without a match.
enum class BleuSmoothing {
  kExp,    // 1/2, 1/4, ... of a match for the first, second, ... such order (mteval-v13a)
  kFloor,  // smoothing_value matches
  kAddK,   // smoothing_value is added to matches and totals of all orders above 1
  kNone,   // 0, and so is the score
};

// "exp", "floor", "add-k", "none". Throws UsageError for another name, with the nearest of these.
BleuSmoothing bleu_smoothing(std::string_view name);
std::string_view bleu_smoothing_name(BleuSmoothing smoothing);
// 0.1 for floor, 1 for add-k (Chen and Cherry 2014); the others have none: 0.
double default_smoothing_value(BleuSmoothing smoothing);

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::k13a;
  bool lower_case = false;
  BleuSmoothing smoothing = BleuSmoothing::kExp;
  std::optional<double> smoothing_value = {};  // none: default_smoothing_value
  int max_order = 4;
  // Means over the orders that the hypothesis has n-grams of; for scores of single sentences.
  bool effective_order = false;
};

struct BleuParts {
  std::vector<double> precisions;  // percent, [max_order]
  double brevity_penalty = 0;
  double hypothesis_length = 0;  // tokens
  double reference_length = 0;   // tokens of the reference nearest in length, summed over sentences
  double bleu = 0;               // percent
};

class Bleu : public Metric {
 public:
  // Throws UsageError when max_order is below 1 or the smoothing value below 0.
  explicit Bleu(BleuOptions options = {});

  std::string name() const override { return "BLEU"; }
  std::string signature(size_t reference_count) const override;
  // Hypothesis length, reference length, matches [max_order], totals [max_order].
  size_t width() const override { return 2 + 2 * static_cast<size_t>(options_.max_order); }
  void sentence_statistics(std::string_view hypothesis,
                           std::span<const std::string_view> references,
                           std::span<double> statistics) const override;
  MetricScore score(std::span<const double> sums) const override;

  BleuParts parts(std::span<const double> sums) const;

 private:
  std::string tokens_of(std::string_view line) const;

  BleuOptions options_;
  double smoothing_value_;
};

}  // namespace skein
