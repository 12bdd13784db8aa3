#include "skein/decode/constrained_strategy.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "skein/decode/word_rules.h"

namespace skein {
namespace {

using Banks = std::map<int64_t, std::vector<Candidate>, std::greater<>>;

// The best of every bank, then the second of every bank and so on.
std::vector<Candidate> take_turns(const Banks& banks, size_t most) {
  std::vector<Candidate> taken;
  for (size_t rank = 0;; ++rank) {
    const size_t before = taken.size();
    for (const auto& [met, bank] : banks) {
      if (taken.size() == most) return taken;
      if (rank < bank.size()) taken.push_back(bank[rank]);
    }
    if (taken.size() == before) return taken;
  }
}

}  // namespace

ConstrainedStrategy::ConstrainedStrategy(const SearchOptions& options)
    : beam_(options.beam),
      constraints_(make_constraints(options.constraints, options.constraint_order)),
      progress_{constraints_->start()} {}

bool ConstrainedStrategy::may_end(int64_t row) const {
  return constraints_->all_met(progress_[static_cast<size_t>(row)]);
}

// The best 2 · beam, then the tokens of constraints that are not among them.
void ConstrainedStrategy::rank(int64_t row, std::span<const float> logits,
                               std::vector<kernels::RankedValue>& next) const {
  kernels::top_k(logits, 2 * beam_, next);
  std::vector<int32_t> wanted;
  constraints_->append_next(progress_[static_cast<size_t>(row)], wanted);
  for (const int32_t token : wanted) {
    const kernels::RankedValue value{logits[static_cast<size_t>(token)], token};
    if (value.value == kForbidden) continue;
    if (std::find(next.begin(), next.end(), value) == next.end()) next.push_back(value);
  }
}

std::vector<Candidate> ConstrainedStrategy::choose(std::span<const ScoredRow> rows) {
  std::vector<Candidate> all;
  for (size_t row = 0; row < rows.size(); ++row) {
    for (const auto& [score, token] : rows[row].next) {
      all.push_back({rows[row].sum + score, score, static_cast<int32_t>(row), token});
    }
  }
  keep_best(all.size(), all);
  Banks banks;  // fullest first
  for (size_t i = 0; i < all.size(); ++i) {
    const Candidate& candidate = all[i];
    if (i >= static_cast<size_t>(2 * beam_) && !is_needed(candidate, rows)) continue;
    const Constraints::Progress& before = progress_[static_cast<size_t>(candidate.row)];
    const Constraints::Progress after = constraints_->advance(before, candidate.token);
    banks[constraints_->met_tokens(after)].push_back(candidate);
  }
  return take_turns(banks, static_cast<size_t>(2 * beam_));
}

bool ConstrainedStrategy::is_needed(const Candidate& candidate,
                                    std::span<const ScoredRow> rows) const {
  const auto row = static_cast<size_t>(candidate.row);
  if (rows[row].next.front().index == candidate.token) return true;
  std::vector<int32_t> wanted;
  constraints_->append_next(progress_[row], wanted);
  return std::find(wanted.begin(), wanted.end(), candidate.token) != wanted.end();
}

void ConstrainedStrategy::go_on(std::span<const Candidate> chosen) {
  std::vector<Constraints::Progress> next;
  for (const Candidate& candidate : chosen) {
    next.push_back(
        constraints_->advance(progress_[static_cast<size_t>(candidate.row)], candidate.token));
  }
  progress_ = std::move(next);
}

}  // namespace skein
