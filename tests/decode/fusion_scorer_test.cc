// Shallow fusion on tables, where the sums can be made by hand.
#include "skein/decode/fusion_scorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/table_search.h"
#include "skein/base/error.h"

namespace skein {
namespace {

constexpr int64_t kVocabulary = 8;

std::unique_ptr<StepScorer> table(uint64_t seed, int64_t max_length = 1000) {
  return std::make_unique<TableScorer>(Table::random(1, 6, kVocabulary, seed), max_length);
}

TEST(FusionScorer, AddsWeightedLogProbabilities) {
  FusionScorer fusion(table(1), table(2), 0.3);
  const Table first = Table::random(1, 6, kVocabulary, 1);
  const Table second = Table::random(1, 6, kVocabulary, 2);
  const auto found =
      beam_search(fusion, table_sources(std::vector{0}), SearchOptions{.beam = 4}).front();
  for (const Hypothesis& each : found) {
    int32_t previous = kEosId;
    for (size_t t = 0; t < each.tokens.size(); ++t) {
      const auto token = static_cast<size_t>(each.tokens[t]);
      const auto step = static_cast<int64_t>(t);
      // Both tables hold log-probabilities.
      EXPECT_NEAR(each.token_scores[t],
                  first.row(0, step, previous)[token] + 0.3 * second.row(0, step, previous)[token],
                  1e-5);
      previous = each.tokens[t];
    }
  }
}

TEST(FusionScorer, WithABeamAsLargeAsTheSpaceFindsTheExactBest) {
  constexpr int64_t kWords = 2;
  Table sums = Table::random(1, 6, kVocabulary, 3);
  const Table second = Table::random(1, 6, kVocabulary, 4);
  for (size_t i = 0; i < sums.values.size(); ++i) sums.values[i] += 0.7F * second.values[i];
  std::vector<ScoredTokens> all;
  enumerate(sums, kWords, {}, all);
  const auto best =
      std::max_element(all.begin(), all.end(),
                       [](const ScoredTokens& a, const ScoredTokens& b) { return a.sum < b.sum; });
  FusionScorer fusion(table(3), table(4), 0.7);
  const SearchOptions options{.beam = std::ssize(all),
                              .normalize = false,
                              .min_length = 0,
                              .max_length_a = 0,
                              .max_length_b = kWords};
  const auto found = beam_search(fusion, table_sources(std::vector{0}), options).front();
  EXPECT_EQ(found[0].tokens, best->tokens);
  EXPECT_NEAR(found[0].score, best->sum, 1e-5);
}

TEST(FusionScorer, OfNoWeightIsTheTranslationModel) {
  FusionScorer fusion(table(5), table(6), 0);
  const auto plain = search_one(Table::random(1, 6, kVocabulary, 5), {.beam = 3});
  const auto fused =
      beam_search(fusion, table_sources(std::vector{0}), SearchOptions{.beam = 3}).front();
  ASSERT_EQ(fused.size(), plain.size());
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(fused[i].tokens, plain[i].tokens);
    EXPECT_NEAR(fused[i].score, plain[i].score, 1e-5);
  }
}

TEST(FusionScorer, StaysWithinThePositionsOfBoth) {
  EXPECT_EQ(FusionScorer(table(1, 20), table(2, 30), 1).max_target_length(), 20);
  EXPECT_EQ(FusionScorer(table(1, 30), table(2, 20), 1).max_target_length(), 20);
}

TEST(FusionScorer, RefusesAWeightThatIsNoNumber) {
  for (const double weight : {std::nan(""), HUGE_VAL, 1e39, -1.1e6}) {
    EXPECT_THROW(FusionScorer(table(1), table(2), weight), UsageError) << weight;
  }
}

TEST(FusionScorer, RefusesModelsOfDifferentVocabularies) {
  EXPECT_THROW(FusionScorer(table(1), std::make_unique<TableScorer>(Table::random(1, 1, 9, 1)), 1),
               UsageError);
}

}  // namespace
}  // namespace skein
