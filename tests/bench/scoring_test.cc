#include "skein/bench/scoring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/random_transformer.h"
#include "error_of.h"

namespace skein {
namespace {

using testing::HasSubstr;

TEST(MeasureScoring, TellsSpeedAndTheMeanLogProbability) {
  const auto model = random_language_model(30);
  const ScoringSpeed one = measure_scoring(*model, {.length = 7, .sentences = 9, .runs = 1});
  EXPECT_GT(one.latency_seconds, 0);
  EXPECT_GT(one.tokens_per_second, 0);
  EXPECT_GT(one.peak_resident_bytes, 0);
  // A random model is worse than certain and not much worse than guessing one of 30 words.
  EXPECT_LT(one.log_probability, 0);
  EXPECT_GT(one.log_probability, -20);
  // Batches are for speed only.
  const ScoringSpeed other =
      measure_scoring(*model, {.length = 7, .sentences = 9, .batch_tokens = 7, .runs = 2});
  EXPECT_NEAR(other.log_probability, one.log_probability, 1e-5);
}

TEST(MeasureScoring, RefusesWhatItCannotMeasure) {
  const auto model = random_language_model(30);
  const auto sentence = [&](const ScoringBenchmark& benchmark) {
    return error_of<UsageError>([&] { measure_scoring(*model, benchmark); });
  };
  EXPECT_THAT(sentence({.length = 0}), HasSubstr("length of a sentence is 0"));
  EXPECT_THAT(sentence({.sentences = 0}), HasSubstr("number of sentences is 0"));
  EXPECT_THAT(sentence({.batch_tokens = 0}), HasSubstr("number of tokens is 0"));
  EXPECT_THAT(sentence({.runs = 0}), HasSubstr("number of runs is 0"));
  EXPECT_THAT(sentence({.length = 1000}), HasSubstr("sentences of 1000 tokens"));
  const auto translates = random_transformer(30, DType::kF32);
  EXPECT_THAT(error_of<UsageError>([&] { measure_scoring(*translates, {}); }),
              HasSubstr("expected a language model"));
}

}  // namespace
}  // namespace skein
