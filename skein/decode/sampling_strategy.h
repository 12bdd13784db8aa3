// Sampling: every hypothesis goes on with a token drawn from its distribution, or from the likely
// part of it, renormalised.
#pragma once

#include <cstdint>
#include <vector>

#include "skein/decode/search_strategy.h"

namespace skein {

// Draws `beam` samples. Sample k of a sentence depends on the seed, the sentence's number and k,
// not on how many are drawn.
class SamplingStrategy final : public SearchStrategy {
 public:
  explicit SamplingStrategy(const SearchOptions& options);

  void rank(int64_t row, std::span<const float> logits,
            std::vector<kernels::RankedValue>& next) const override;
  std::vector<Candidate> choose(std::span<const ScoredRow> rows) override;

 private:
  SamplingOptions options_;
  float scale_;
  uint64_t step_ = 0;
  // [rows]: the samples that each hypothesis stands for: all of them at first, then one each.
  std::vector<std::vector<uint64_t>> samples_;
};

}  // namespace skein
