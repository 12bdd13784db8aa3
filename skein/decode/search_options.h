// What a search obeys.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace skein {

// Tokens are drawn at random instead of searched for.
struct SamplingOptions {
  int64_t top_k = 0;    // only from the k likeliest tokens; 0: from all
  double top_p = 1;     // only from the likeliest tokens that together have this probability
  uint64_t seed = 1;    // the same seed and stream give the same tokens
  uint64_t stream = 0;  // the sentence's number
};

// Diverse beam search (Vijayakumar et al. 2016): the beam in groups, each of which avoids what the
// groups before it chose at the same step. Penalties stay in the scores.
struct DiversityOptions {
  int64_t groups = 1;     // 1: plain beam search
  double strength = 0.5;  // taken from a token for each earlier group's candidate with that token
  // How much, from 0 to 1, of earlier steps' agreement of two groups adds to that; 0 is the paper's
  // Hamming diversity. Tokens of a forced prefix are no agreement.
  double discount = 0;
  // Li et al. 2016: the k-th best continuation of a hypothesis loses k times this.
  double sibling_rate = 0;
};

enum class ConstraintOrder {
  kAny,    // constraints may come in any order
  kGiven,  // one after another, with anything between them
};

struct SearchOptions {
  int64_t beam = 5;           // hypotheses kept, and found; 1 is greedy search
  double length_penalty = 1;  // 0 favours short ones
  bool normalize = true;      // false: the score is the plain sum
  // Tokens before eos, at least and at most: a · source length (its eos counted) + b. The most is
  // also what the model's positions allow, and goes before the least.
  double min_length_a = 0;
  int64_t min_length = 1;
  double max_length_a = 2;
  double max_length_b = 100;
  bool match_source_length = false;  // instead: exactly as many as the source has before its eos
  double unk_penalty = 0;            // taken from the log-probability of kUnkId
  // Logits are divided by it. Models together are tempered one by one instead: tempered_scorer.h.
  double temperature = 1;
  int64_t no_repeat_ngram = 0;       // no n-gram of this length occurs twice; 0: all may
  std::vector<int32_t> prefix = {};  // tokens that every hypothesis begins with
  // Tokens that the model has read before a hypothesis begins. They take its positions, and n-grams
  // that may not repeat may lie in them; lengths, scores and constraints do not see them.
  std::vector<int32_t> prompt = {};
  std::optional<SamplingOptions> sampling = {};  // `beam` independent samples
  DiversityOptions diversity = {};
  std::vector<std::vector<int32_t>> constraints = {};  // sequences that every hypothesis contains
  ConstraintOrder constraint_order = ConstraintOrder::kAny;
};

// Tokens before eos.
struct LengthBounds {
  int64_t least = 0;
  int64_t most = 0;
};
// `source_length` counts the eos; `max_positions` is the model's, in tokens of the target, eos
// counted. Throws UsageError if prompt and prefix are longer than those.
LengthBounds length_bounds(const SearchOptions& options, int64_t source_length,
                           int64_t max_positions);

// Throws UsageError unless logits can be divided by it: a number from 0.001 to a million.
void require_temperature(double temperature);

// Throws UsageError unless every option is in its range, none contradicts another, and prefix and
// constraints consist of words of a vocabulary of that size.
void require_valid(const SearchOptions& options, int64_t vocabulary);

}  // namespace skein
