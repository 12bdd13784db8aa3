// How a search chooses: of all hypotheses of a sentence with one token more, which become
// candidates, and in which order they are taken. Beam search, diverse beam search, sampling and
// constrained search differ in this only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "skein/decode/search_options.h"
#include "skein/kernels/top_k.h"

namespace skein {

// A hypothesis under way.
struct ScoredRow {
  double sum = 0;  // log-probability of its tokens
  // Next tokens that may become candidates, by log-probability, penalties included.
  std::vector<kernels::RankedValue> next = {};
};

// A hypothesis and its next token.
struct Candidate {
  double sum = 0;   // log-probability of the whole
  float score = 0;  // log-probability of the token
  int32_t row = 0;  // the hypothesis that it continues
  int32_t token = 0;
};

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;

  // False while hypothesis `row` lacks something that it must have; then eos is forbidden.
  virtual bool may_end(int64_t /*row*/) const { return true; }

  // The next tokens of hypothesis `row` that may become candidates, with their logits [vocabulary];
  // rules have made what they forbid -infinity. Rows may be asked for by different threads.
  virtual void rank(int64_t row, std::span<const float> logits,
                    std::vector<kernels::RankedValue>& next) const = 0;

  // At most 2 · beam candidates. An eos among the first `beam` finishes its hypothesis, and the
  // first `beam` others go on.
  virtual std::vector<Candidate> choose(std::span<const ScoredRow> rows) = 0;

  // After choose(): hypothesis i from now on is chosen[i].
  virtual void go_on(std::span<const Candidate> /*chosen*/) {}
};

// The strategy that the options ask for.
std::unique_ptr<SearchStrategy> make_search_strategy(const SearchOptions& options);

// Puts the best `count` candidates, or all if there are fewer, in order and drops the others. Equal
// ones in the order of rows and tokens.
void keep_best(size_t count, std::vector<Candidate>& candidates);

}  // namespace skein
