#include "skein/decode/sentence_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "skein/base/error.h"
#include "skein/decode/word_rules.h"

namespace skein {

SentenceSearch::SentenceSearch(SearchOptions options, int64_t source_length, int64_t max_positions,
                               ScoreKind kind)
    : options_(std::move(options)),
      kind_(kind),
      lengths_(length_bounds(options_, source_length, max_positions)),
      rules_(make_score_rules(options_, lengths_)),
      strategy_(make_search_strategy(options_)) {
  for (const int32_t token : options_.prompt) {
    prompt_.push_back(previous_[0]);
    previous_[0] = token;
    begin_ = tree_.add(begin_, token, 0);
  }
  nodes_ = {begin_};
}

void SentenceSearch::score_row(int64_t row, std::span<float> logits) {
  if (!unread().empty()) return;
  const auto scale = static_cast<float>(1 / options_.temperature);
  const float log_normalizer = kernels::log_sum_exp(logits, scale);
  log_normalizers_[static_cast<size_t>(row)] = log_normalizer;
  const float eos = logits[kEosId];
  apply(rules_, {tree_, nodes_[static_cast<size_t>(row)], step_}, logits);
  const bool may_end = strategy_->may_end(row);
  if (!may_end) logits[kEosId] = kForbidden;
  std::vector<kernels::RankedValue>& next = rows_[static_cast<size_t>(row)].next;
  strategy_->rank(row, logits, next);
  // A minimum length and forbidden n-grams may leave no word at all.
  if (next.empty() && may_end) next = {{eos, kEosId}};
  const float shift = kind_ == ScoreKind::kLogits ? log_normalizer : 0;
  for (kernels::RankedValue& each : next) each.value = each.value * scale - shift;
}

void SentenceSearch::advance() {
  if (!unread().empty()) return read(1);
  require_numbers();
  std::vector<Candidate> chosen;
  size_t position = 0;
  const auto beam = static_cast<size_t>(options_.beam);
  for (const Candidate& candidate : strategy_->choose(rows_)) {
    if (candidate.token != kEosId) {
      if (chosen.size() < beam) chosen.push_back(candidate);
    } else if (position < beam && finished_.size() < beam) {
      finish(candidate);
    }
    ++position;
  }
  done_ = finished_.size() == beam || step_ == lengths_.most || chosen.empty();
  go_on(done_ ? std::span<const Candidate>() : chosen);
  ++step_;
}

void SentenceSearch::require_numbers() const {
  for (const float log_normalizer : log_normalizers_) {
    if (std::isfinite(log_normalizer)) continue;
    throw NonFiniteError(
        fmt::format("the model's scores of token {} hold NaN or infinity; expected numbers: its "
                    "parameters are damaged or training diverged",
                    step_ + 1));
  }
}

void SentenceSearch::finish(const Candidate& candidate) {
  Hypothesis hypothesis;
  hypothesis.tokens = {kEosId};
  hypothesis.token_scores = {candidate.score};
  tree_.visit_backward(nodes_[static_cast<size_t>(candidate.row)], begin_, [&](const auto& node) {
    hypothesis.tokens.push_back(node.token);
    hypothesis.token_scores.push_back(node.score);
  });
  std::reverse(hypothesis.tokens.begin(), hypothesis.tokens.end());
  std::reverse(hypothesis.token_scores.begin(), hypothesis.token_scores.end());
  hypothesis.score = score_of(candidate.sum, hypothesis.tokens.size(), options_);
  hypothesis.cut = step_ == lengths_.most;
  finished_.push_back(std::move(hypothesis));
}

void SentenceSearch::go_on(std::span<const Candidate> chosen) {
  strategy_->go_on(chosen);
  std::vector<int32_t> nodes;
  rows_.assign(chosen.size(), ScoredRow{});
  log_normalizers_.assign(chosen.size(), 0);
  previous_.clear();
  parents_.clear();
  for (size_t i = 0; i < chosen.size(); ++i) {
    const Candidate& candidate = chosen[i];
    nodes.push_back(
        tree_.add(nodes_[static_cast<size_t>(candidate.row)], candidate.token, candidate.score));
    rows_[i].sum = candidate.sum;
    previous_.push_back(candidate.token);
    parents_.push_back(candidate.row);
  }
  nodes_ = std::move(nodes);
}

std::vector<Hypothesis> SentenceSearch::results() && {
  std::stable_sort(finished_.begin(), finished_.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  return std::move(finished_);
}

}  // namespace skein
