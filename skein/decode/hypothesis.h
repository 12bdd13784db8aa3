// What a search finds, and what it obeys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skein {

struct Hypothesis {
  std::vector<int32_t> tokens;      // ends in kEosId
  std::vector<float> token_scores;  // log-probability of each token, penalties included
  double score = 0;                 // their sum, divided by length^length_penalty (eos counted)
  bool cut = false;                 // ended by the maximum length, not by the model
};

struct SearchOptions {
  int64_t beam = 5;           // hypotheses kept, and found; 1 is greedy search
  double length_penalty = 1;  // 0 favours short ones
  bool normalize = true;      // false: the score is the plain sum
  int64_t min_length = 1;     // tokens before eos, at least
  // Tokens before eos, at most: a · source length (its eos counted) + b, and what the model's
  // positions allow.
  double max_length_a = 2;
  double max_length_b = 100;
  double unk_penalty = 0;            // taken from the log-probability of kUnkId
  double temperature = 1;            // logits are divided by it
  int64_t no_repeat_ngram = 0;       // no n-gram of this length occurs twice; 0: all may
  std::vector<int32_t> prefix = {};  // tokens that every hypothesis begins with
};

// The score of tokens whose log-probabilities add up to `sum`.
double score_of(double sum, size_t length, const SearchOptions& options);

// Makes `hypothesis` the translation of one text more, and scores the whole.
void append(const Hypothesis& next, const SearchOptions& options, Hypothesis& hypothesis);

// Throws UsageError unless every option is in its range and the prefix consists of words of a
// vocabulary of that size.
void require_valid(const SearchOptions& options, int64_t vocabulary);

}  // namespace skein
