#include "skein/bench/scoring.h"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "skein/base/error.h"
#include "skein/base/progress.h"
#include "skein/base/random.h"
#include "skein/bench/measure.h"
#include "skein/decode/batched_scores.h"
#include "skein/text/vocabulary.h"

namespace skein {
namespace {

void require_valid(const Model& model, const ScoringBenchmark& benchmark) {
  const auto require = [](const char* what, int64_t value) {
    if (value >= 1) return;
    throw UsageError(fmt::format("{} is {}; expected at least 1", what, value));
  };
  require("the number of runs", benchmark.runs);
  require("the number of sentences", benchmark.sentences);
  require("the length of a sentence", benchmark.length);
  require("the batches' number of tokens", benchmark.batch_tokens);
  if (model.has_source()) {
    throw UsageError("the model translates; expected a language model, fconv_lm_small for example");
  }
  if (benchmark.length <= model.max_target_length()) return;
  throw UsageError(fmt::format("sentences of {} tokens; the model takes at most {}",
                               benchmark.length, model.max_target_length()));
}

template <typename Work>
double seconds_of(const Work& work) {
  const double begin = seconds_now();
  work();
  return seconds_now() - begin;
}

std::vector<std::vector<int32_t>> random_sentences(int64_t vocabulary,
                                                   const ScoringBenchmark& benchmark) {
  Random random(benchmark.seed);
  std::vector<std::vector<int32_t>> sentences(static_cast<size_t>(benchmark.sentences));
  for (std::vector<int32_t>& each : sentences) {
    for (int64_t i = 1; i < benchmark.length; ++i) {
      each.push_back(static_cast<int32_t>(
          kSpecialTokens + random.below(static_cast<uint64_t>(vocabulary - kSpecialTokens))));
    }
    each.push_back(kEosId);
  }
  return sentences;
}

}  // namespace

ScoringSpeed measure_scoring(const Model& model, const ScoringBenchmark& benchmark) {
  require_valid(model, benchmark);
  const auto texts = random_sentences(model.vocabulary(), benchmark);
  std::vector<ScoreRequest> sentences;
  sentences.reserve(texts.size());
  for (const std::vector<int32_t>& text : texts) sentences.push_back({.target = text});
  const auto score = [&](std::span<const ScoreRequest> some) {
    return batched_scores(model, some, benchmark.batch_tokens);
  };
  const double tokens = static_cast<double>(benchmark.sentences * benchmark.length);
  ScoringSpeed speed;
  for (const SentenceScore& each : score(sentences)) {
    speed.log_probability += each.log_probability / tokens;
  }
  std::vector<double> together, alone;
  for (int64_t run = 0; run < benchmark.runs; ++run) {
    together.push_back(seconds_of([&] { score(sentences); }));
    for (const ScoreRequest& each : sentences) {
      alone.push_back(seconds_of([&] { score(std::span(&each, 1)); }));
    }
  }
  speed.latency_seconds = median(alone);
  speed.tokens_per_second = tokens / median(together);
  speed.peak_resident_bytes = peak_resident_bytes();
  return speed;
}

}  // namespace skein
