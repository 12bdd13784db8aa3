// Diverse beam search (Vijayakumar et al. 2016): the beam is parted into groups that take turns at
// every step, and a token becomes dearer with every earlier group's candidate that ends in it.
#pragma once

#include <cstdint>
#include <vector>

#include "skein/decode/search_strategy.h"

namespace skein {

class DiverseStrategy final : public SearchStrategy {
 public:
  explicit DiverseStrategy(const SearchOptions& options);

  void rank(int64_t row, std::span<const float> logits,
            std::vector<kernels::RankedValue>& next) const override;
  // While a prefix decides, its token and no penalty. Then hypothesis i belongs to group i mod
  // groups. Candidates: the best of every group, then the second of every group and so on.
  std::vector<Candidate> choose(std::span<const ScoredRow> rows) override;

 private:
  using Groups = std::vector<std::vector<Candidate>>;

  std::vector<Candidate> choose_of_group(std::span<const ScoredRow> rows,
                                         const Groups& earlier) const;
  float penalty(int32_t token, const Groups& earlier) const;
  void remember_agreement(const Groups& groups);

  size_t forced_;  // tokens of the prefix that are to come
  int64_t beam_;
  size_t groups_;
  double strength_;
  double discount_;
  std::vector<double> agreement_;  // [groups, groups]: how often two groups chose the same token
};

}  // namespace skein
