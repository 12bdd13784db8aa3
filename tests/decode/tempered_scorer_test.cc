// Temperatures on tables, where the mixtures can be made by hand.
#include "skein/decode/tempered_scorer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "decode/table_search.h"
#include "skein/base/error.h"
#include "skein/decode/fusion_scorer.h"

namespace skein {
namespace {

constexpr int64_t kVocabulary = 7;
constexpr int32_t kA = 4;
constexpr int32_t kB = 5;
// softmax of log p / 2 is sqrt(p) / Σ sqrt: of 0.64 and 0.36, 0.8 and 0.6 over 1.4.
constexpr double kTemperature = 2;

std::unique_ptr<StepScorer> words(double a, double b) {
  return std::make_unique<TableScorer>(
      table_of(2, kVocabulary,
               {{0, kEosId, kA, a}, {0, kEosId, kB, b}, {1, kA, kEosId, 1}, {1, kB, kEosId, 1}}));
}

// Log-probability of A as the first word.
double score_of_a(StepScorer& scorer, const SearchOptions& options = {.beam = 2}) {
  const auto found = beam_search(scorer, table_sources(std::vector{0}), options).front();
  for (const Hypothesis& each : found) {
    if (each.tokens[0] == kA) return each.token_scores[0];
  }
  return NAN;
}

TEST(TemperedScorer, IsTheSearchsTemperatureOfOneModel) {
  const auto plain = words(0.64, 0.36);
  const auto scorer = tempered(words(0.64, 0.36), kTemperature);
  EXPECT_NEAR(score_of_a(*scorer), std::log(0.8 / 1.4), 1e-5);
  EXPECT_NEAR(score_of_a(*plain, {.beam = 2, .temperature = kTemperature}), std::log(0.8 / 1.4),
              1e-5);
}

TEST(TemperedScorer, ModelsAreTemperedBeforeTheirProbabilitiesAreAveraged) {
  std::vector<std::unique_ptr<StepScorer>> members;
  members.push_back(tempered(words(0.64, 0.36), kTemperature));
  members.push_back(tempered(words(0.04, 0.96), kTemperature));
  const auto ensemble = ensemble_of(std::move(members));
  const double second = 0.2 / (0.2 + std::sqrt(0.96));
  EXPECT_NEAR(score_of_a(*ensemble), std::log((0.8 / 1.4 + second) / 2), 1e-5);
}

TEST(TemperedScorer, ALanguageModelIsFusedWithATemperedModel) {
  FusionScorer none(tempered(words(0.64, 0.36), kTemperature),
                    tempered(words(0.04, 0.96), kTemperature), 0);
  EXPECT_NEAR(score_of_a(none), std::log(0.8 / 1.4), 1e-5);
  FusionScorer half(tempered(words(0.64, 0.36), kTemperature),
                    tempered(words(0.04, 0.96), kTemperature), 0.5);
  const double second = 0.2 / (0.2 + std::sqrt(0.96));
  EXPECT_NEAR(score_of_a(half), std::log(0.8 / 1.4) + 0.5 * std::log(second), 1e-5);
}

TEST(TemperedScorer, RefusesTemperaturesThatLeaveNoNumbersAndMixtures) {
  for (const double temperature : {0.0, -1.0, 1e-39, 1e39, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(tempered(words(0.5, 0.5), temperature), UsageError) << temperature;
  }
  EXPECT_THROW(
      tempered(std::make_unique<FusionScorer>(words(0.5, 0.5), words(0.5, 0.5), 1), kTemperature),
      UsageError);
}

}  // namespace
}  // namespace skein
