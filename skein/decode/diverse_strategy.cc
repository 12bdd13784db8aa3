#include "skein/decode/diverse_strategy.h"

#include <algorithm>

namespace skein {

DiverseStrategy::DiverseStrategy(const SearchOptions& options)
    : forced_(options.prefix.size()),
      beam_(options.beam),
      groups_(static_cast<size_t>(options.diversity.groups)),
      strength_(options.diversity.strength),
      discount_(options.diversity.discount),
      agreement_(groups_ * groups_, 0.0) {}

// A group takes 2 · beam / groups candidates, and there are no more penalised tokens than the other
// groups' candidates: so its own are among the best 2 · beam of every hypothesis.
void DiverseStrategy::rank(int64_t /*row*/, std::span<const float> logits,
                           std::vector<kernels::RankedValue>& next) const {
  kernels::top_k(logits, 2 * beam_, next);
}

std::vector<Candidate> DiverseStrategy::choose(std::span<const ScoredRow> rows) {
  if (forced_ > 0) {
    --forced_;
    const auto& [score, token] = rows[0].next[0];
    return {{rows[0].sum + score, score, 0, token}};
  }
  Groups groups;
  while (groups.size() < groups_) groups.push_back(choose_of_group(rows, groups));
  remember_agreement(groups);
  std::vector<Candidate> candidates;
  for (size_t rank = 0; rank < static_cast<size_t>(2 * beam_) / groups_; ++rank) {
    for (const auto& group : groups) {
      if (rank < group.size()) candidates.push_back(group[rank]);
    }
  }
  return candidates;
}

// All groups begin with the one hypothesis of the first step.
std::vector<Candidate> DiverseStrategy::choose_of_group(std::span<const ScoredRow> rows,
                                                        const Groups& earlier) const {
  std::vector<Candidate> candidates;
  const size_t begin = rows.size() == 1 ? 0 : earlier.size();
  for (size_t row = begin; row < rows.size(); row += groups_) {
    for (const kernels::RankedValue& next : rows[row].next) {
      const float score = next.value - penalty(next.index, earlier);
      candidates.push_back({rows[row].sum + score, score, static_cast<int32_t>(row), next.index});
    }
  }
  keep_best(static_cast<size_t>(2 * beam_) / groups_, candidates);
  return candidates;
}

float DiverseStrategy::penalty(int32_t token, const Groups& earlier) const {
  double penalty = 0;
  for (size_t h = 0; h < earlier.size(); ++h) {
    const auto count = std::count_if(earlier[h].begin(), earlier[h].end(),
                                     [&](const Candidate& each) { return each.token == token; });
    penalty += static_cast<double>(count) * (1 + agreement_[earlier.size() * groups_ + h]);
  }
  return static_cast<float>(strength_ * penalty);
}

void DiverseStrategy::remember_agreement(const Groups& groups) {
  for (size_t g = 0; g < groups_; ++g) {
    for (size_t h = 0; h < groups_; ++h) {
      double same = 0;
      for (size_t rank = 0; rank < std::min(groups[g].size(), groups[h].size()); ++rank) {
        same += groups[g][rank].token == groups[h][rank].token ? 1 : 0;
      }
      double& agreement = agreement_[g * groups_ + h];
      agreement = discount_ * (agreement + same);
    }
  }
}

}  // namespace skein
