// Beam search: the best 2 · beam continuations of all hypotheses are the candidates.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skein/decode/search_strategy.h"

namespace skein {

class BeamStrategy final : public SearchStrategy {
 public:
  // From the step behind the prefix and its first successor on, the k-th best continuation of each
  // hypothesis loses k times options.diversity.sibling_rate (Li et al. 2016).
  explicit BeamStrategy(const SearchOptions& options)
      : beam_(options.beam),
        sibling_rate_(options.diversity.sibling_rate),
        free_steps_(options.prefix.size() + 1) {}

  void rank(int64_t row, std::span<const float> logits,
            std::vector<kernels::RankedValue>& next) const override;
  std::vector<Candidate> choose(std::span<const ScoredRow> rows) override;

 private:
  int64_t beam_;
  double sibling_rate_;
  size_t free_steps_;  // before hypotheses have siblings
};

}  // namespace skein
