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
  const auto likeliest = static_cast<std::ptrdiff_t>(next.size());
  for (const int32_t token : wanted_by(static_cast<size_t>(row))) {
    const kernels::RankedValue value{logits[static_cast<size_t>(token)], token};
    const auto end = next.begin() + likeliest;
    if (value.value != kForbidden && std::find(next.begin(), end, value) == end) {
      next.push_back(value);
    }
  }
}

std::vector<int32_t> ConstrainedStrategy::wanted_by(size_t row) const {
  std::vector<int32_t> wanted;
  constraints_->append_next(progress_[row], wanted);
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

std::vector<Candidate> ConstrainedStrategy::choose(std::span<const ScoredRow> rows) {
  std::vector<Candidate> all;
  std::vector<std::vector<int32_t>> wanted;  // [rows]
  for (size_t row = 0; row < rows.size(); ++row) {
    wanted.push_back(wanted_by(row));
    for (const auto& [score, token] : rows[row].next) {
      all.push_back({rows[row].sum + score, score, static_cast<int32_t>(row), token});
    }
  }
  keep_best(all.size(), all);
  Banks banks;  // fullest first
  for (size_t i = 0; i < all.size(); ++i) {
    const Candidate& candidate = all[i];
    const auto row = static_cast<size_t>(candidate.row);
    // The best of its hypothesis, or one that may be nearer to the constraints.
    const bool needed = rows[row].next.front().index == candidate.token ||
                        std::binary_search(wanted[row].begin(), wanted[row].end(), candidate.token);
    if (i >= static_cast<size_t>(2 * beam_) && !needed) continue;
    const Constraints::Progress after = constraints_->advance(progress_[row], candidate.token);
    banks[constraints_->met_tokens(after)].push_back(candidate);
  }
  return take_turns(banks, static_cast<size_t>(2 * beam_));
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
