// Lexical constraints: sequences of tokens that a translation must contain, and how much of them a
// hypothesis has. Both kinds are finite automata over the hypothesis's tokens (Hu et al. 2019).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "skein/decode/search_options.h"

namespace skein {

class Constraints {
 public:
  // What a hypothesis has so far; meaningful together with its constraints only.
  struct Progress {
    int32_t place = 0;                // in the automaton
    std::vector<int32_t> begun = {};  // unordered only: how often each node was passed and counts
    std::vector<int32_t> ended = {};  // unordered only: how often each node's constraint was met
  };

  virtual ~Constraints() = default;

  // Before the first token.
  virtual Progress start() const = 0;
  // After one more token.
  virtual Progress advance(const Progress& progress, int32_t token) const = 0;
  // Tokens of constraints that the hypothesis has, those of one that it is in included.
  virtual int64_t met_tokens(const Progress& progress) const = 0;
  virtual bool all_met(const Progress& progress) const = 0;
  // Appends each token that might meet one more token of a constraint.
  virtual void append_next(const Progress& progress, std::vector<int32_t>& tokens) const = 0;
};

// sequences: at least one, none empty.
std::unique_ptr<Constraints> make_constraints(std::span<const std::vector<int32_t>> sequences,
                                              ConstraintOrder order);

}  // namespace skein
