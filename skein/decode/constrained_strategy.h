// Beam search with lexical constraints: dynamic beam allocation (Post and Vilar 2018) in its
// vectorised form (Hu et al. 2019). A candidate's bank is the number of constraint tokens that it
// has; the banks take turns, so that hypotheses which meet constraints are not crowded out by
// likelier ones that do not.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "skein/decode/constraints.h"
#include "skein/decode/search_strategy.h"

namespace skein {

class ConstrainedStrategy final : public SearchStrategy {
 public:
  explicit ConstrainedStrategy(const SearchOptions& options);

  // Only with all constraints.
  bool may_end(int64_t row) const override;
  void rank(int64_t row, std::span<const float> logits,
            std::vector<kernels::RankedValue>& next) const override;
  // Candidates: the best 2 · beam of all, the best of every hypothesis, and every one that may be
  // nearer to the constraints. Of those, the best of every bank, fullest bank first, then the
  // second of every bank and so on, 2 · beam in all.
  std::vector<Candidate> choose(std::span<const ScoredRow> rows) override;
  void go_on(std::span<const Candidate> chosen) override;

 private:
  // Sorted: the tokens that may bring hypothesis `row` nearer to the constraints.
  std::vector<int32_t> wanted_by(size_t row) const;

  int64_t beam_;
  std::unique_ptr<Constraints> constraints_;
  std::vector<Constraints::Progress> progress_;  // [rows]
};

}  // namespace skein
