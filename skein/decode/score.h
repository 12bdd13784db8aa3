// The log-probability that a model gives to translations that are already there.
#pragma once

#include <vector>

#include "skein/data/batch.h"
#include "skein/models/model.h"

namespace skein {

struct SentenceScore {
  std::vector<float> token_scores;  // log-probability of every target token, eos included
  double log_probability = 0;       // their sum, in nats
};

// One forward pass. Equals what a search with the default penalties and temperature gives the same
// tokens, up to rounding. Throws NonFiniteError if the model gives NaN or infinity.
std::vector<SentenceScore> score_batch(const Model& model, const Batch& batch);

}  // namespace skein
