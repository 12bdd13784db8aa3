// The search of one sentence, apart from the model and from other sentences: it is given a row of
// logits for each of its hypotheses and says which go on. Rules (score_rule.h) change the logits,
// a strategy (search_strategy.h) chooses. What is common to all follows fairseq (Ott et al. 2019):
// an eos among the first `beam` candidates finishes its hypothesis; the first `beam` others go on;
// the search ends with `beam` finished hypotheses or at the maximum length.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "skein/decode/hypothesis.h"
#include "skein/decode/hypothesis_tree.h"
#include "skein/decode/score_rule.h"
#include "skein/decode/scorer.h"
#include "skein/decode/search_strategy.h"

namespace skein {

class SentenceSearch {
 public:
  // `source_length` counts the eos; `max_positions` is the model's, in tokens of the target, eos
  // counted. Begins with one row. Throws UsageError if the prefix is longer than that.
  SentenceSearch(SearchOptions options, int64_t source_length, int64_t max_positions,
                 ScoreKind kind = ScoreKind::kLogits);

  // Tokens of the prompt that the model has to read, the end mark first, before step() tells what
  // may follow.
  std::span<const int32_t> unread() const { return std::span(prompt_).subspan(read_); }
  // The model has read the next `count` of them.
  void read(int64_t count) { read_ += static_cast<size_t>(count); }

  // The last token of every hypothesis under way, best first; while there is unread prompt, the
  // next one of it.
  std::span<const int32_t> previous() const {
    return unread().empty() ? std::span<const int32_t>(previous_) : unread().first(1);
  }
  int64_t rows() const { return static_cast<int64_t>(previous_.size()); }

  // Ranks the continuations of hypothesis `row`, if there is no unread prompt; overwrites its
  // logits [vocabulary]. Rows may be scored by different threads.
  void score_row(int64_t row, std::span<float> logits);

  // After every row was scored: takes the step, or moves on in the prompt. Throws NonFiniteError if
  // a row held NaN or infinity.
  void advance();

  // After advance(): hypothesis i continues the one that was parents()[i].
  std::span<const int32_t> parents() const { return parents_; }

  bool done() const { return done_; }
  // The finished hypotheses, best first; none if no hypothesis could meet all constraints.
  std::vector<Hypothesis> results() &&;

 private:
  void finish(const Candidate& candidate);
  void go_on(std::span<const Candidate> chosen);
  void require_numbers() const;

  SearchOptions options_;
  ScoreKind kind_;
  LengthBounds lengths_;
  ScoreRules rules_;
  std::unique_ptr<SearchStrategy> strategy_;
  int64_t step_ = 0;  // tokens that every hypothesis under way has
  bool done_ = false;
  std::vector<int32_t> prompt_;  // the end mark and all tokens of it but the last
  size_t read_ = 0;              // of them
  HypothesisTree tree_;
  int32_t begin_ = HypothesisTree::kRoot;  // the last token of the prompt
  // Hypotheses under way.
  std::vector<int32_t> nodes_;
  std::vector<ScoredRow> rows_ = {ScoredRow{}};
  std::vector<float> log_normalizers_ = {0};
  std::vector<int32_t> previous_ = {kEosId};
  std::vector<int32_t> parents_ = {0};
  std::vector<Hypothesis> finished_;
};

}  // namespace skein
