// Beam search of one sentence, apart from the model and from other sentences: it is given a row of
// logits for each of its hypotheses and says which go on. The rules are fairseq's (Ott et al.
// 2019): of all one-token extensions the best 2 · beam are candidates; an eos among the first
// `beam` of them finishes its hypothesis; the first `beam` others go on; the search ends with
// `beam` finished hypotheses or at the maximum length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skein/decode/hypothesis.h"
#include "skein/kernels/top_k.h"

namespace skein {

class SentenceSearch {
 public:
  // `source_length` counts the eos; `max_positions` is the model's, in tokens of the target, eos
  // counted. Begins with one row. Throws UsageError if the prefix is longer than that.
  SentenceSearch(SearchOptions options, int64_t source_length, int64_t max_positions);

  // The last token of every hypothesis under way, best first.
  std::span<const int32_t> previous() const { return previous_; }
  int64_t rows() const { return static_cast<int64_t>(previous_.size()); }

  // Ranks the continuations of hypothesis `row`; overwrites its logits [vocabulary]. Rows may be
  // scored by different threads.
  void score_row(int64_t row, std::span<float> logits);

  // After every row was scored: takes the step. Throws NonFiniteError if a row held NaN or
  // infinity.
  void advance();

  // After advance(): hypothesis i continues the one that was parents()[i].
  std::span<const int32_t> parents() const { return parents_; }

  bool done() const { return done_; }
  // The finished hypotheses, best first.
  std::vector<Hypothesis> results() &&;

 private:
  struct Node {  // a token of a hypothesis; its path to the root is the hypothesis
    int32_t token = 0;
    int32_t parent = -1;
    float score = 0;
  };
  struct Row {  // a hypothesis under way
    int32_t node = 0;
    double sum = 0;
    float log_normalizer = 0;
    std::vector<kernels::RankedValue> best;  // continuations, by logit
  };
  struct Candidate {
    double sum = 0;
    float score = 0;
    int32_t row = 0;
    int32_t token = 0;
  };

  void rank(const Row& row, std::span<float> logits, std::vector<kernels::RankedValue>& best) const;
  void forbid_repeats(const Row& row, std::span<float> logits) const;
  std::vector<Candidate> candidates() const;
  void finish(const Candidate& candidate);
  void go_on(std::span<const Candidate> chosen);
  void require_numbers() const;

  SearchOptions options_;
  int64_t max_length_ = 0;
  int64_t step_ = 0;  // tokens that every hypothesis under way has
  bool done_ = false;
  std::vector<Node> nodes_;
  std::vector<Row> rows_;
  std::vector<int32_t> previous_;
  std::vector<int32_t> parents_;
  std::vector<Hypothesis> finished_;
};

}  // namespace skein
