#include "skein/decode/beam_strategy.h"

namespace skein {

void BeamStrategy::rank(int64_t /*row*/, std::span<const float> logits,
                        std::vector<kernels::RankedValue>& next) const {
  kernels::top_k(logits, 2 * beam_, next);
}

std::vector<Candidate> BeamStrategy::choose(std::span<const ScoredRow> rows) {
  const auto rate = static_cast<float>(free_steps_ > 0 ? 0 : sibling_rate_);
  if (free_steps_ > 0) --free_steps_;
  std::vector<Candidate> candidates;
  for (size_t row = 0; row < rows.size(); ++row) {
    float penalty = 0;
    for (const kernels::RankedValue& next : rows[row].next) {
      penalty += rate;
      const float score = next.value - penalty;
      candidates.push_back({rows[row].sum + score, score, static_cast<int32_t>(row), next.index});
    }
  }
  keep_best(static_cast<size_t>(2 * beam_), candidates);
  return candidates;
}

}  // namespace skein
