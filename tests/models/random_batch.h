// Random batches for a model's vocabularies.
#pragma once

#include "random_batches.h"
#include "skein/data/batch.h"
#include "skein/models/registry.h"

namespace skein {

// Sentences of 1 to `longest` tokens on both sides.
inline Batch random_batch(const VocabularySizes& vocabulary, int64_t sentences, uint64_t seed,
                          int64_t longest = 5) {
  Random random(seed);
  Batch batch;
  for (int64_t s = 0; s < sentences; ++s) {
    if (vocabulary.source > 0) {
      batch.source.append(
          random_tokens(random, random_between(random, 1, longest), vocabulary.source));
    }
    const int64_t length = random_between(random, 1, longest);
    batch.target_input.append(random_tokens(random, length, vocabulary.target));
    batch.target.append(random_tokens(random, length, vocabulary.target));
  }
  return batch;
}

// Those sentences, in that order.
inline Batch chosen_sentences(const Batch& batch, std::span<const size_t> sentences) {
  Batch chosen;
  for (const size_t s : sentences) {
    if (batch.source.sentences() > 0) chosen.source.append(batch.source.sentence(s));
    chosen.target_input.append(batch.target_input.sentence(s));
    chosen.target.append(batch.target.sentence(s));
  }
  return chosen;
}

}  // namespace skein
