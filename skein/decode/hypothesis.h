// What a search finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "skein/decode/search_options.h"

namespace skein {

struct Hypothesis {
  std::vector<int32_t> tokens;      // ends in kEosId
  std::vector<float> token_scores;  // log-probability of each token, penalties included
  double score = 0;                 // their sum, divided by length^length_penalty (eos counted)
  bool cut = false;                 // ended by the maximum length, not by the model
};

// The score of tokens whose log-probabilities add up to `sum`.
double score_of(double sum, size_t length, const SearchOptions& options);

// Makes `hypothesis` the translation of one text more, and scores the whole.
void append(const Hypothesis& next, const SearchOptions& options, Hypothesis& hypothesis);

}  // namespace skein
