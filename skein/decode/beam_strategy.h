// Beam search: the best 2 · beam continuations of all hypotheses are the candidates.
#pragma once

#include <cstdint>

#include "skein/decode/search_strategy.h"

namespace skein {

class BeamStrategy final : public SearchStrategy {
 public:
  // sibling_rate: from the second step on, the k-th best continuation of each hypothesis loses k
  // times this (Li et al. 2016).
  BeamStrategy(int64_t beam, double sibling_rate) : beam_(beam), sibling_rate_(sibling_rate) {}

  void rank(int64_t row, std::span<const float> logits,
            std::vector<kernels::RankedValue>& next) const override;
  std::vector<Candidate> choose(std::span<const ScoredRow> rows) override;

 private:
  int64_t beam_;
  double sibling_rate_;
  bool first_ = true;
};

}  // namespace skein
