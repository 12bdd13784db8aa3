#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "decode/table_search.h"
#include "skein/base/error.h"
#include "skein/decode/beam_search.h"

namespace skein {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

constexpr int64_t kVocabulary = 12;
constexpr int32_t kFirst = 4;

SearchOptions sampled(int64_t count, const SamplingOptions& sampling) {
  return {.beam = count, .max_length_a = 0, .max_length_b = 8, .sampling = sampling};
}

std::vector<std::vector<int32_t>> tokens_of(const std::vector<Hypothesis>& found) {
  std::vector<std::vector<int32_t>> tokens;
  for (const Hypothesis& each : found) tokens.push_back(each.tokens);
  return tokens;
}

TEST(Sampling, FollowsTheDistribution) {
  const std::vector<double> expected = {0.5, 0.3, 0.15, 0.05};
  std::vector<Edge> edges;
  for (int32_t i = 0; i < 4; ++i) {
    edges.push_back({0, kEosId, kFirst + i, expected[static_cast<size_t>(i)]});
    edges.push_back({1, kFirst + i, kEosId, 1});
  }
  constexpr int64_t kSamples = 4000;
  const auto found = search_one(table_of(2, kVocabulary, edges), sampled(kSamples, {.seed = 3}));
  ASSERT_THAT(found, SizeIs(kSamples));
  std::map<int32_t, int64_t> counts;
  for (const Hypothesis& each : found) ++counts[each.tokens[0]];
  for (int32_t i = 0; i < 4; ++i) {
    // Four standard deviations of a binomial distribution, at most 4 · 0.5 / sqrt(4000).
    EXPECT_NEAR(static_cast<double>(counts[kFirst + i]) / kSamples,
                expected[static_cast<size_t>(i)], 0.032);
  }
}

TEST(Sampling, ScoresAreTheLogProbabilitiesOfTheTokens) {
  const Table table = Table::random(1, 9, kVocabulary, 5);
  for (const Hypothesis& each : search_one(table, sampled(20, {.top_k = 3, .seed = 1}))) {
    int32_t previous = kEosId;
    double sum = 0;
    for (size_t t = 0; t < each.tokens.size(); ++t) {
      const auto row = table.row(0, static_cast<int64_t>(t), previous);
      previous = each.tokens[t];
      EXPECT_NEAR(each.token_scores[t], row[static_cast<size_t>(previous)], 1e-5);
      sum += row[static_cast<size_t>(previous)];
    }
    EXPECT_NEAR(each.score, sum / static_cast<double>(each.tokens.size()), 1e-5);
  }
}

TEST(Sampling, TheLikeliestTokenAloneIsGreedySearch) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const Table table = Table::random(1, 9, kVocabulary, seed);
    SearchOptions greedy = sampled(1, {});
    greedy.sampling.reset();
    const auto best = search_one(table, greedy);
    EXPECT_EQ(tokens_of(search_one(table, sampled(1, {.top_k = 1}))), tokens_of(best));
    EXPECT_EQ(tokens_of(search_one(table, sampled(1, {.top_p = 1e-6}))), tokens_of(best));
  }
}

TEST(Sampling, RepeatsWithTheSeedAndTheSentencesNumberOnly) {
  const Table table = Table::random(1, 9, kVocabulary, 6);
  const auto draw = [&](uint64_t seed, uint64_t stream) {
    return tokens_of(search_one(table, sampled(6, {.seed = seed, .stream = stream})));
  };
  EXPECT_EQ(draw(1, 2), draw(1, 2));
  EXPECT_NE(draw(1, 2), draw(2, 2));
  EXPECT_NE(draw(1, 2), draw(1, 3));
}

TEST(Sampling, ASampleDoesNotDependOnHowManyAreDrawn) {
  const Table table = Table::random(1, 9, kVocabulary, 7);
  const auto few = tokens_of(search_one(table, sampled(3, {.seed = 4})));
  const auto many = tokens_of(search_one(table, sampled(30, {.seed = 4})));
  EXPECT_THAT(many, testing::IsSupersetOf(few));
}

TEST(Sampling, ASentenceIsIdenticalWhateverElseIsInTheBatch) {
  constexpr int32_t kSentences = 7;
  TableScorer scorer(Table::random(kSentences, 9, kVocabulary, 8));
  std::vector<int32_t> numbers;
  std::vector<SearchOptions> options;
  for (int32_t i = 0; i < kSentences; ++i) {
    numbers.push_back(i);
    options.push_back(
        sampled(1 + i, {.top_p = 0.9, .seed = 1, .stream = static_cast<uint64_t>(i)}));
  }
  const auto together = beam_search(scorer, table_sources(numbers), options);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto alone = beam_search(scorer, table_sources(std::span(&numbers[i], 1)), options[i]);
    EXPECT_EQ(tokens_of(alone[0]), tokens_of(together[i]));
  }
}

TEST(Sampling, ObeysTheRulesOfEverySearch) {
  const Table table = Table::random(1, 9, kVocabulary, 9);
  SearchOptions options = sampled(50, {.seed = 2});
  options.min_length = 3;
  options.max_length_b = 5;
  options.no_repeat_ngram = 1;
  options.prefix = {7};
  for (const Hypothesis& each : search_one(table, options)) {
    EXPECT_EQ(each.tokens[0], 7);
    EXPECT_GE(each.tokens.size(), 4u);
    EXPECT_LE(each.tokens.size(), 6u);
    const std::set<int32_t> distinct(each.tokens.begin(), each.tokens.end());
    EXPECT_EQ(distinct.size(), each.tokens.size());
  }
}

TEST(Sampling, RefusesWhatMakesNoSense) {
  const Table table = Table::random(1, 2, kVocabulary, 1);
  EXPECT_THROW(search_one(table, sampled(1, {.top_k = -1})), UsageError);
  EXPECT_THROW(search_one(table, sampled(1, {.top_p = 0})), UsageError);
  EXPECT_THROW(search_one(table, sampled(1, {.top_p = 1.1})), UsageError);
  SearchOptions options = sampled(2, {});
  options.constraints = {{kFirst}};
  EXPECT_THROW(search_one(table, options), UsageError);
  options = sampled(2, {});
  options.diversity.groups = 2;
  EXPECT_THROW(search_one(table, options), UsageError);
}

}  // namespace
}  // namespace skein
