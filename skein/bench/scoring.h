// Speed of scoring: the log-probability that a language model gives to sentences.
#pragma once

#include <cstdint>

#include "skein/models/model.h"

namespace skein {

struct ScoringBenchmark {
  int64_t length = 30;          // tokens of a sentence, its end counted
  int64_t sentences = 200;      // random ones
  int64_t batch_tokens = 4096;  // of the sentences that are scored together
  int64_t runs = 5;             // over all sentences, after one that is not measured
  uint64_t seed = 1;
};

struct ScoringSpeed {
  double latency_seconds = 0;    // of one sentence alone, with all threads: median
  double tokens_per_second = 0;  // of all sentences in batches: median of the runs
  double log_probability = 0;    // mean over the tokens, in nats
  int64_t peak_resident_bytes = 0;
};

// Throws UsageError for an option out of range, sentences beyond the model's positions, or a model
// that has a source.
ScoringSpeed measure_scoring(const Model& model, const ScoringBenchmark& benchmark);

}  // namespace skein
