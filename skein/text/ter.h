// TER, translation edit rate: the fewest insertions, deletions, substitutions and shifts of word
// sequences that turn the hypothesis into a reference, over the reference's length (Snover et al.
// 2006). The search for shifts is greedy and takes tercom's limits and ranking, as sacreBLEU does.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "skein/text/metric.h"
#include "skein/text/ter_tokenizer.h"

namespace skein {

class Ter : public Metric {
 public:
  explicit Ter(TerTokenizerOptions options = {}) : options_(options) {}

  std::string name() const override { return "TER"; }
  std::string signature(size_t reference_count) const override;
  bool higher_is_better() const override { return false; }
  // Fewest edits over the references; mean length of the references.
  size_t width() const override { return 2; }
  void sentence_statistics(std::string_view hypothesis,
                           std::span<const std::string_view> references,
                           std::span<double> statistics) const override;
  // 100 where the references are empty and the hypotheses are not; 0 where both are.
  MetricScore score(std::span<const double> sums) const override;

 private:
  TerTokenizerOptions options_;
};

// Edits, each shift counted as one. Equal numbers are equal words.
int translation_edits(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference);

}  // namespace skein
