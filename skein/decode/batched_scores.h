// Scores of any number of texts: batches of similar length, by as many workers as there are
// threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skein/decode/score.h"
#include "skein/text/vocabulary.h"

namespace skein {

struct ScoreRequest {
  std::span<const int32_t> source = {};  // ends in eos; empty for a language model
  std::span<const int32_t> target;       // what is scored, eos included
  int32_t before = kEosId;               // the token before it
};

// In the order of the requests. A text's score does not depend on the others nor on the number of
// threads. batch_tokens: most source, and target, tokens of a batch. Throws what score_batch()
// throws.
std::vector<SentenceScore> batched_scores(const Model& model,
                                          std::span<const ScoreRequest> requests,
                                          int64_t batch_tokens);

}  // namespace skein
