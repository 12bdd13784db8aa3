// Speed of translation, from tokens to tokens: reading and writing text is not measured.
#pragma once

#include <cstdint>
#include <vector>

#include "skein/bench/decoding_task.h"
#include "skein/models/model.h"

namespace skein {

struct DecodingBenchmark {
  int64_t beam = 5;
  int64_t batch_tokens = 4096;  // source tokens times beam of a batch
  int64_t runs = 5;             // over all sentences, after one that is not measured
  int64_t alone = 20;           // of them, spread evenly, are also translated one at a time
};

struct DecodingSpeed {
  double seconds = 0;  // of all sentences: median of the runs
  double sentences_per_second = 0;
  double target_tokens_per_second = 0;  // of the best hypotheses, eos counted
  double latency_seconds = 0;           // of one sentence alone, with all threads: median
  // Mean over the tokens of the best hypotheses, in nats. Other systems with the same parameters
  // find the same.
  double log_probability = 0;
  std::vector<std::vector<int32_t>> hypotheses;  // the best of every sentence, without eos
  int64_t peak_tensor_bytes = 0;
  int64_t peak_resident_bytes = 0;
};

// `sentences` are not empty. Throws UsageError for an option out of range, a sentence beyond the
// model's positions or a language model.
DecodingSpeed measure_decoding(const Model& model, const SentencesToTranslate& sentences,
                               const DecodingBenchmark& benchmark);

}  // namespace skein
