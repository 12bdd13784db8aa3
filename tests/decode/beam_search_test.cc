#include "skein/decode/beam_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "decode/table_search.h"
#include "skein/base/error.h"
#include "skein/text/vocabulary.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int32_t kA = 4;
constexpr int32_t kB = 5;
constexpr int64_t kVocabulary = 6;

// At first A (0.6) or B (0.4); A ends with 0.55, B with 0.9.
Table garden_path() {
  return table_of(2, kVocabulary,
                  {{0, kEosId, kA, 0.6},
                   {0, kEosId, kB, 0.4},
                   {1, kA, kEosId, 0.55},
                   {1, kA, kA, 0.45},
                   {1, kB, kEosId, 0.9},
                   {1, kB, kB, 0.1}});
}

TEST(BeamSearch, WithOneHypothesisIsGreedy) {
  const auto found = search_one(garden_path(), {.beam = 1});
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].tokens, ElementsAre(kA, kEosId));
  EXPECT_NEAR(found[0].score, std::log(0.6 * 0.55) / 2, 1e-5);
}

TEST(BeamSearch, WithTwoFindsWhatGreedyMisses) {
  const auto found = search_one(garden_path(), {.beam = 2});
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_THAT(found[0].tokens, ElementsAre(kB, kEosId));
  EXPECT_THAT(found[0].token_scores,
              testing::Pointwise(testing::FloatNear(1e-5F), {std::log(0.4F), std::log(0.9F)}));
  EXPECT_NEAR(found[0].score, std::log(0.4 * 0.9) / 2, 1e-5);
  EXPECT_NEAR(found[1].score, std::log(0.6 * 0.55) / 2, 1e-5);
}

// eos at once with 0.37, or A and then eos with 0.63 · 0.5 (the rest goes on).
Table short_or_long() {
  return table_of(
      2, kVocabulary,
      {{0, kEosId, kEosId, 0.37}, {0, kEosId, kA, 0.63}, {1, kA, kEosId, 0.5}, {1, kA, kB, 0.5}});
}

TEST(BeamSearch, TheLengthPenaltyDividesByTheLengthWithEos) {
  const auto plain = search_one(short_or_long(), {.beam = 2, .length_penalty = 0, .min_length = 0});
  EXPECT_THAT(plain[0].tokens, ElementsAre(kEosId));  // log .37 = -0.99 > log .315 = -1.16
  const auto normalized =
      search_one(short_or_long(), {.beam = 2, .length_penalty = 1, .min_length = 0});
  EXPECT_THAT(normalized[0].tokens, ElementsAre(kA, kEosId));  // -1.16 / 2 = -0.58
  EXPECT_NEAR(normalized[0].score, std::log(0.315) / 2, 1e-5);
  const auto sum = search_one(short_or_long(), {.beam = 2, .normalize = false, .min_length = 0});
  EXPECT_NEAR(sum[0].score, std::log(0.37), 1e-5);
}

TEST(BeamSearch, TheMinimumLengthForbidsAnEarlyEnd) {
  const auto found = search_one(short_or_long(), {.beam = 1, .min_length = 1});
  EXPECT_THAT(found[0].tokens, ElementsAre(kA, kEosId));
}

Table endless() { return table_of(1, kVocabulary, {{0, kEosId, kA, 0.99}, {0, kA, kA, 0.99}}); }

TEST(BeamSearch, TheMaximumLengthFollowsTheSourceAndIsTold) {
  // The source has one word and its eos: 1.5 · 2 + 1 = 4.
  const auto found = search_one(endless(), {.beam = 1, .max_length_a = 1.5, .max_length_b = 1});
  EXPECT_THAT(found[0].tokens, ElementsAre(kA, kA, kA, kA, kEosId));
  EXPECT_TRUE(found[0].cut);
  EXPECT_FALSE(search_one(garden_path(), {.beam = 1})[0].cut);
}

TEST(BeamSearch, NoHypothesisExceedsTheModelsPositions) {
  TableScorer scorer(endless(), 3);
  const auto found = beam_search(scorer, table_sources(std::vector{0}), SearchOptions{.beam = 1});
  EXPECT_THAT(found[0][0].tokens, ElementsAre(kA, kA, kEosId));
}

TEST(BeamSearch, AForbiddenRepeatTakesTheNextBest) {
  const Table table = table_of(1, kVocabulary,
                               {{0, kEosId, kA, 0.9},
                                {0, kA, kA, 0.6},
                                {0, kA, kB, 0.4},
                                {0, kB, kA, 0.9},
                                {0, kB, kEosId, 0.1}});
  const SearchOptions options{
      .beam = 1, .max_length_a = 0, .max_length_b = 4, .no_repeat_ngram = 2};
  // A A is new, a second A A is not; then B A is new, and A A and A B both occurred.
  const auto found = search_one(table, options);
  EXPECT_THAT(std::vector(found[0].tokens.begin(), found[0].tokens.begin() + 4),
              ElementsAre(kA, kA, kB, kA));
}

TEST(BeamSearch, WhereEveryWordIsForbiddenTheSentenceEnds) {
  const auto found = search_one(endless(), {.beam = 1, .min_length = 50, .no_repeat_ngram = 1});
  // Six tokens; padding and eos are no words, and none of the other four may come twice.
  EXPECT_THAT(found[0].tokens, SizeIs(5));
  EXPECT_EQ(found[0].tokens.back(), kEosId);
}

TEST(BeamSearch, AForcedPrefixIsFollowedWhateverItCosts) {
  const auto found = search_one(garden_path(), {.beam = 2, .prefix = {kB}});
  for (const Hypothesis& hypothesis : found) EXPECT_EQ(hypothesis.tokens[0], kB);
  EXPECT_NEAR(found[0].token_scores[0], std::log(0.4), 1e-5);
}

TEST(BeamSearch, UnknownWordsCanBeMadeDearer) {
  const Table table = table_of(
      2, kVocabulary,
      {{0, kEosId, kUnkId, 0.6}, {0, kEosId, kA, 0.4}, {1, kUnkId, kEosId, 1}, {1, kA, kEosId, 1}});
  EXPECT_EQ(search_one(table, {.beam = 1})[0].tokens[0], kUnkId);
  const auto penalized = search_one(table, {.beam = 2, .unk_penalty = 1});
  EXPECT_EQ(penalized[0].tokens[0], kA);
  EXPECT_NEAR(penalized[1].token_scores[0], std::log(0.6) - 1, 1e-5);
}

TEST(BeamSearch, ATemperatureFlattensTheDistribution) {
  // softmax of log p / 2 is sqrt(p) / Σ sqrt: of 0.64 and 0.36, 0.8 / 1.4.
  const Table table = table_of(
      2, kVocabulary,
      {{0, kEosId, kA, 0.64}, {0, kEosId, kB, 0.36}, {1, kA, kEosId, 1}, {1, kB, kEosId, 1}});
  const auto found = search_one(table, {.beam = 1, .temperature = 2});
  EXPECT_NEAR(found[0].token_scores[0], std::log(0.8 / 1.4), 1e-5);
}

TEST(BeamSearch, WithABeamAsLargeAsTheSpaceFindsTheExactBest) {
  constexpr int64_t kWords = 3;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Table table = Table::random(1, kWords + 1, kVocabulary, seed);
    for (const double length_penalty : {0.0, 1.0, 2.0}) {
      std::vector<ScoredTokens> all;
      enumerate(table, kWords, {{}, 0}, all);
      ASSERT_THAT(all, SizeIs(1 + 4 + 16 + 64));
      const auto score = [&](const ScoredTokens& each) {
        return each.sum / std::pow(static_cast<double>(each.tokens.size()), length_penalty);
      };
      std::sort(all.begin(), all.end(),
                [&](const ScoredTokens& a, const ScoredTokens& b) { return score(a) > score(b); });
      const auto found = search_one(table, {.beam = static_cast<int64_t>(all.size()),
                                            .length_penalty = length_penalty,
                                            .min_length = 0,
                                            .max_length_a = 0,
                                            .max_length_b = kWords});
      ASSERT_EQ(found.size(), all.size());
      EXPECT_EQ(found[0].tokens, all[0].tokens);
      for (size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(found[i].score, score(all[i]), 1e-5);
    }
  }
}

TEST(BeamSearch, ScoresEqualARescoringOfTheTokens) {
  const Table table = Table::random(1, 12, 40, 7);
  for (const Hypothesis& hypothesis : search_one(table, {.beam = 8, .max_length_b = 10})) {
    double sum = 0;
    int32_t previous = kEosId;
    for (size_t t = 0; t < hypothesis.tokens.size(); ++t) {
      const float expected = table.row(0, static_cast<int64_t>(t),
                                       previous)[static_cast<size_t>(hypothesis.tokens[t])];
      EXPECT_NEAR(hypothesis.token_scores[t], expected, 1e-5);
      sum += expected;
      previous = hypothesis.tokens[t];
    }
    EXPECT_NEAR(hypothesis.score, sum / static_cast<double>(hypothesis.tokens.size()), 1e-5);
  }
}

bool identical(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Hypothesis& x, const Hypothesis& y) {
                      return x.tokens == y.tokens && x.token_scores == y.token_scores &&
                             x.score == y.score && x.cut == y.cut;
                    });
}

TEST(BeamSearch, ASentenceIsIdenticalWhateverElseIsInTheBatch) {
  constexpr int32_t kSentences = 9;
  TableScorer scorer(Table::random(kSentences, 15, 150, 3));
  std::vector<int32_t> numbers;
  std::vector<SearchOptions> options;
  for (int32_t i = 0; i < kSentences; ++i) {
    numbers.push_back(i);
    options.push_back({.beam = 1 + i * i, .length_penalty = 0.2 * i, .max_length_b = 3.0 + i});
  }
  const auto together = beam_search(scorer, table_sources(numbers), options);
  int64_t rows_alone = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto alone = beam_search(scorer, table_sources(std::span(&numbers[i], 1)), options[i]);
    EXPECT_TRUE(identical(alone[0], together[i])) << i;
    rows_alone += scorer.rows_computed();
  }
  beam_search(scorer, table_sources(numbers), options);
  // A finished sentence leaves at once: the batch computes no row that a sentence alone would not.
  EXPECT_EQ(scorer.rows_computed(), rows_alone);
}

TEST(BeamSearch, OfNoSentencesIsEmpty) {
  TableScorer scorer(garden_path());
  EXPECT_THAT(beam_search(scorer, {}, SearchOptions{}), IsEmpty());
}

TEST(BeamSearch, ScoresThatAreNotNumbersAreAnError) {
  Table table = garden_path();
  table.values[static_cast<size_t>(kEosId * kVocabulary)] = std::numeric_limits<float>::quiet_NaN();
  try {
    search_one(table, {});
    FAIL() << "NaN went unnoticed";
  } catch (const NonFiniteError& error) {
    EXPECT_THAT(error.what(), HasSubstr("scores of token 1 hold NaN"));
  }
}

TEST(BeamSearch, RefusesWhatMakesNoSense) {
  EXPECT_THROW(search_one(garden_path(), {.beam = 0}), UsageError);
  EXPECT_THROW(search_one(garden_path(), {.min_length = -1}), UsageError);
  for (const double temperature : {0.0, 1e-39, 1e39, std::nan("")}) {
    EXPECT_THROW(search_one(garden_path(), {.temperature = temperature}), UsageError);
  }
  for (const double penalty : {-1e39, 1e39, HUGE_VAL, std::nan("")}) {
    EXPECT_THROW(search_one(garden_path(), {.unk_penalty = penalty}), UsageError);
    EXPECT_THROW(search_one(garden_path(), {.length_penalty = penalty}), UsageError);
  }
  EXPECT_THROW(search_one(garden_path(), {.prefix = {kEosId}}), UsageError);
  EXPECT_THROW(search_one(garden_path(), {.prefix = {kVocabulary}}), UsageError);
  TableScorer scorer(garden_path(), 2);
  EXPECT_THROW(beam_search(scorer, table_sources(std::vector{0}), {.prefix = {kA, kA}}),
               UsageError);
}

TEST(EnsembleScorer, GivesTheMeanOfTheProbabilities) {
  std::vector<std::unique_ptr<StepScorer>> members;
  members.push_back(std::make_unique<TableScorer>(
      table_of(1, kVocabulary, {{0, kEosId, kA, 0.9}, {0, kEosId, kB, 0.1}}), 30));
  members.push_back(std::make_unique<TableScorer>(
      table_of(1, kVocabulary, {{0, kEosId, kA, 0.3}, {0, kEosId, kB, 0.7}}), 20));
  EnsembleScorer ensemble(std::move(members));
  EXPECT_EQ(ensemble.max_target_length(), 20);
  ensemble.start(table_sources(std::vector{0}));
  const Tensor scores = ensemble.step(std::vector{kEosId});
  EXPECT_NEAR(scores.values<float>()[kA], std::log(0.6), 1e-5);
  EXPECT_NEAR(scores.values<float>()[kB], std::log(0.4), 1e-5);
}

TEST(EnsembleScorer, TellsImprobableTokensApart) {
  // e^-150 and e^-160 are too small for f32, their logarithms are not.
  Table first = table_of(1, kVocabulary, {{0, kEosId, kA, 1}});
  const auto row = static_cast<size_t>(kEosId * kVocabulary);
  first.values[row + kB] = -150;
  first.values[row + kEosId] = -160;
  std::vector<std::unique_ptr<StepScorer>> members;
  members.push_back(std::make_unique<TableScorer>(first));
  first.values[row + kB] = -151;
  members.push_back(std::make_unique<TableScorer>(first));
  EnsembleScorer ensemble(std::move(members));
  ensemble.start(table_sources(std::vector{0}));
  const Tensor scores = ensemble.step(std::vector{kEosId});
  // (e^-150 + e^-151) / 2
  EXPECT_NEAR(scores.values<float>()[kB], -150 + std::log((1 + std::exp(-1.0)) / 2), 1e-3);
  EXPECT_NEAR(scores.values<float>()[kEosId], -160, 1e-3);
}

TEST(EnsembleScorer, PassesOnWhatIsNoNumber) {
  for (const size_t damaged : {size_t{0}, size_t{1}}) {
    std::vector<std::unique_ptr<StepScorer>> members;
    for (const size_t member : {size_t{0}, size_t{1}}) {
      Table table = garden_path();
      if (member == damaged) {
        table.values[static_cast<size_t>(kEosId * kVocabulary)] = std::nanf("");
      }
      members.push_back(std::make_unique<TableScorer>(std::move(table)));
    }
    EnsembleScorer ensemble(std::move(members));
    EXPECT_THROW(beam_search(ensemble, table_sources(std::vector{0}), SearchOptions{}),
                 NonFiniteError);
  }
}

TEST(EnsembleScorer, RefusesModelsOfDifferentVocabularies) {
  std::vector<std::unique_ptr<StepScorer>> members;
  members.push_back(std::make_unique<TableScorer>(Table::random(1, 1, 6, 1)));
  members.push_back(std::make_unique<TableScorer>(Table::random(1, 1, 7, 1)));
  EXPECT_THROW(EnsembleScorer{std::move(members)}, UsageError);
}

}  // namespace
}  // namespace skein
