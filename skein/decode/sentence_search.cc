#include "skein/decode/sentence_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "skein/base/error.h"
#include "skein/text/vocabulary.h"

namespace skein {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

// Also without eos, a hypothesis fits the model's positions.
int64_t longest(const SearchOptions& options, int64_t source_length, int64_t max_positions) {
  const double wished =
      options.max_length_a * static_cast<double>(source_length) + options.max_length_b;
  return static_cast<int64_t>(std::min(wished, static_cast<double>(max_positions - 1)));
}

}  // namespace

SentenceSearch::SentenceSearch(SearchOptions options, int64_t source_length, int64_t max_positions)
    : options_(std::move(options)),
      max_length_(longest(options_, source_length, max_positions)),
      nodes_{Node{.token = kEosId}},
      rows_(1),
      previous_{kEosId} {
  const auto prefix_length = static_cast<int64_t>(options_.prefix.size());
  if (prefix_length >= max_positions) {
    throw UsageError(
        fmt::format("the forced prefix has {} tokens; the model has positions for {} and the end "
                    "of the sentence",
                    prefix_length, max_positions - 1));
  }
  max_length_ = std::max(max_length_, prefix_length);
}

void SentenceSearch::score_row(int64_t row, std::span<float> logits) {
  Row& scored = rows_[static_cast<size_t>(row)];
  scored.log_normalizer =
      kernels::log_sum_exp(logits, static_cast<float>(1 / options_.temperature));
  rank(scored, logits, scored.best);
}

void SentenceSearch::rank(const Row& row, std::span<float> logits,
                          std::vector<kernels::RankedValue>& best) const {
  const float eos = logits[kEosId];
  logits[kPadId] = kForbidden;
  logits[kUnkId] -= static_cast<float>(options_.unk_penalty * options_.temperature);
  if (step_ == max_length_) {
    best = {{eos, kEosId}};
    return;
  }
  if (step_ < static_cast<int64_t>(options_.prefix.size())) {
    const int32_t forced = options_.prefix[static_cast<size_t>(step_)];
    best = {{logits[static_cast<size_t>(forced)], forced}};
    return;
  }
  if (step_ < options_.min_length) logits[kEosId] = kForbidden;
  forbid_repeats(row, logits);
  kernels::top_k(logits, 2 * options_.beam, best);
  // A minimum length and forbidden n-grams may leave no word at all.
  if (best.empty()) best = {{eos, kEosId}};
}

// A token is forbidden if with the last n - 1 tokens it makes an n-gram that the hypothesis has,
// the eos it started from included; eos itself is never forbidden.
void SentenceSearch::forbid_repeats(const Row& row, std::span<float> logits) const {
  const int64_t n = options_.no_repeat_ngram;
  if (n == 0 || step_ + 1 < n) return;
  std::vector<int32_t> path;  // last token first
  for (int32_t node = row.node; node >= 0; node = nodes_[static_cast<size_t>(node)].parent) {
    path.push_back(nodes_[static_cast<size_t>(node)].token);
  }
  const auto context_end = path.begin() + (n - 1);
  for (auto last = path.begin(); path.end() - last >= n; ++last) {
    if (*last != kEosId && std::equal(path.begin(), context_end, last + 1)) {
      logits[static_cast<size_t>(*last)] = kForbidden;
    }
  }
}

void SentenceSearch::advance() {
  require_numbers();
  std::vector<Candidate> chosen;
  size_t position = 0;
  const auto beam = static_cast<size_t>(options_.beam);
  for (const Candidate& candidate : candidates()) {
    if (candidate.token != kEosId) {
      if (chosen.size() < beam) chosen.push_back(candidate);
    } else if (position < beam && finished_.size() < beam) {
      finish(candidate);
    }
    ++position;
  }
  done_ = finished_.size() == beam || step_ == max_length_ || chosen.empty();
  go_on(done_ ? std::span<const Candidate>() : chosen);
  ++step_;
}

void SentenceSearch::require_numbers() const {
  for (const Row& row : rows_) {
    if (std::isfinite(row.log_normalizer)) continue;
    throw NonFiniteError(
        fmt::format("the model's scores of token {} hold NaN or infinity; expected numbers: its "
                    "parameters are damaged or training diverged",
                    step_ + 1));
  }
}

// The best 2 · beam continuations of all hypotheses. Equal ones in the order of rows and tokens.
std::vector<SentenceSearch::Candidate> SentenceSearch::candidates() const {
  std::vector<Candidate> all;
  const auto scale = static_cast<float>(1 / options_.temperature);
  for (size_t row = 0; row < rows_.size(); ++row) {
    for (const kernels::RankedValue& next : rows_[row].best) {
      const float score = next.value * scale - rows_[row].log_normalizer;
      all.push_back({rows_[row].sum + score, score, static_cast<int32_t>(row), next.index});
    }
  }
  const size_t kept = std::min(all.size(), static_cast<size_t>(2 * options_.beam));
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                    [](const Candidate& a, const Candidate& b) {
                      if (a.sum != b.sum) return a.sum > b.sum;
                      return std::pair(a.row, a.token) < std::pair(b.row, b.token);
                    });
  all.resize(kept);
  return all;
}

void SentenceSearch::finish(const Candidate& candidate) {
  Hypothesis hypothesis;
  hypothesis.tokens = {kEosId};
  hypothesis.token_scores = {candidate.score};
  // The root is the eos that the decoder started from.
  for (int32_t node = rows_[static_cast<size_t>(candidate.row)].node; node > 0;
       node = nodes_[static_cast<size_t>(node)].parent) {
    hypothesis.tokens.push_back(nodes_[static_cast<size_t>(node)].token);
    hypothesis.token_scores.push_back(nodes_[static_cast<size_t>(node)].score);
  }
  std::reverse(hypothesis.tokens.begin(), hypothesis.tokens.end());
  std::reverse(hypothesis.token_scores.begin(), hypothesis.token_scores.end());
  hypothesis.score = score_of(candidate.sum, hypothesis.tokens.size(), options_);
  hypothesis.cut = step_ == max_length_;
  finished_.push_back(std::move(hypothesis));
}

void SentenceSearch::go_on(std::span<const Candidate> chosen) {
  std::vector<Row> next(chosen.size());
  previous_.clear();
  parents_.clear();
  for (size_t i = 0; i < chosen.size(); ++i) {
    const Candidate& candidate = chosen[i];
    const int32_t parent = rows_[static_cast<size_t>(candidate.row)].node;
    next[i].node = static_cast<int32_t>(nodes_.size());
    next[i].sum = candidate.sum;
    nodes_.push_back({candidate.token, parent, candidate.score});
    previous_.push_back(candidate.token);
    parents_.push_back(candidate.row);
  }
  rows_ = std::move(next);
}

std::vector<Hypothesis> SentenceSearch::results() && {
  std::stable_sort(finished_.begin(), finished_.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  return std::move(finished_);
}

}  // namespace skein
