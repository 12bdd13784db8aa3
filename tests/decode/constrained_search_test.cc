// Searches with lexical constraints in a table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "decode/table_search.h"
#include "skein/base/error.h"
#include "skein/base/random.h"
#include "skein/decode/beam_search.h"

namespace skein {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

bool contains(const std::vector<int32_t>& tokens, const std::vector<int32_t>& sequence) {
  return std::search(tokens.begin(), tokens.end(), sequence.begin(), sequence.end()) !=
         tokens.end();
}

TEST(ConstrainedSearch, WithABeamAsLargeAsTheSpaceFindsTheExactBest) {
  constexpr int64_t kWords = 3;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Table table = Table::random(1, kWords + 1, 6, seed);
    std::vector<ScoredTokens> all;
    enumerate(table, kWords, {}, all);
    std::erase_if(all, [](const ScoredTokens& each) {
      return !contains(each.tokens, {4}) || !contains(each.tokens, {5});
    });
    // Of 64 sequences of three words out of four, those with both: 64 - 2 · 27 + 8; of two words 2.
    ASSERT_THAT(all, SizeIs(18 + 2));
    std::sort(all.begin(), all.end(),
              [](const ScoredTokens& a, const ScoredTokens& b) { return a.sum > b.sum; });
    const auto found = search_one(table, {.beam = 100,
                                          .normalize = false,
                                          .max_length_a = 0,
                                          .max_length_b = kWords,
                                          .constraints = {{4}, {5}}});
    ASSERT_EQ(found.size(), all.size());
    EXPECT_EQ(found[0].tokens, all[0].tokens);
    for (size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(found[i].score, all[i].sum, 1e-5);
  }
}

// Random constraints of distinct tokens, whatever they cost.
std::vector<std::vector<int32_t>> random_constraints(Random& random, int64_t vocabulary) {
  std::vector<int32_t> words;
  for (int32_t token = kSpecialTokens; token < vocabulary; ++token) words.push_back(token);
  random.shuffle(std::span(words));
  std::vector<std::vector<int32_t>> constraints;
  for (size_t count = 1 + random.below(3); count > 0; --count) {
    constraints.emplace_back();
    for (size_t length = 1 + random.below(3); length > 0; --length) {
      constraints.back().push_back(words.back());
      words.pop_back();
    }
  }
  return constraints;
}

TEST(ConstrainedSearch, EveryHypothesisMeetsEveryConstraint) {
  Random random(23);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto constraints = random_constraints(random, 20);
    const bool ordered = seed % 2 == 0;
    const auto found =
        search_one(Table::random(1, 10, 20, seed),
                   {.beam = 1 + static_cast<int64_t>(random.below(8)),
                    .max_length_a = 0,
                    .max_length_b = 12,
                    .constraints = constraints,
                    .constraint_order = ordered ? ConstraintOrder::kGiven : ConstraintOrder::kAny});
    ASSERT_FALSE(found.empty()) << seed;
    for (const Hypothesis& each : found) {
      auto begin = each.tokens.begin();
      for (const std::vector<int32_t>& constraint : constraints) {
        const auto place =
            std::search(begin, each.tokens.end(), constraint.begin(), constraint.end());
        EXPECT_NE(place, each.tokens.end()) << seed;
        if (ordered) begin = place + std::ssize(constraint);
      }
    }
  }
}

TEST(ConstrainedSearch, ScoresEqualARescoringOfTheTokens) {
  const Table table = Table::random(1, 10, 20, 3);
  for (const Hypothesis& each :
       search_one(table, {.beam = 4, .max_length_b = 10, .constraints = {{9, 8}, {7}}})) {
    int32_t previous = kEosId;
    for (size_t t = 0; t < each.tokens.size(); ++t) {
      const auto row = table.row(0, static_cast<int64_t>(t), previous);
      previous = each.tokens[t];
      EXPECT_NEAR(each.token_scores[t], row[static_cast<size_t>(previous)], 1e-5);
    }
  }
}

TEST(ConstrainedSearch, FindsNothingWhereTheConstraintsDoNotFit) {
  const Table table = Table::random(1, 10, 20, 3);
  EXPECT_THAT(
      search_one(table,
                 {.beam = 4, .max_length_a = 0, .max_length_b = 2, .constraints = {{9, 8}, {7}}}),
      IsEmpty());
  // A constraint that repeats a word, where none may.
  EXPECT_THAT(search_one(table, {.beam = 4, .no_repeat_ngram = 1, .constraints = {{9, 9}}}),
              IsEmpty());
}

TEST(ConstrainedSearch, APrefixMayMeetAConstraint) {
  const Table table = Table::random(1, 10, 20, 3);
  const auto found = search_one(
      table,
      {.beam = 4, .max_length_a = 0, .max_length_b = 2, .prefix = {9}, .constraints = {{9, 8}}});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].tokens, (std::vector<int32_t>{9, 8, kEosId}));
}

TEST(ConstrainedSearch, ASentenceIsIdenticalWhateverElseIsInTheBatch) {
  constexpr int32_t kSentences = 6;
  TableScorer scorer(Table::random(kSentences, 10, 20, 4));
  Random random(5);
  std::vector<int32_t> numbers;
  std::vector<SearchOptions> options;
  for (int32_t i = 0; i < kSentences; ++i) {
    numbers.push_back(i);
    options.push_back({.beam = 1 + i, .max_length_a = 0, .max_length_b = 12});
    if (i % 3 != 0) options.back().constraints = random_constraints(random, 20);
  }
  const auto together = beam_search(scorer, table_sources(numbers), options);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto alone = beam_search(scorer, table_sources(std::span(&numbers[i], 1)), options[i]);
    ASSERT_EQ(alone[0].size(), together[i].size());
    for (size_t k = 0; k < alone[0].size(); ++k) {
      EXPECT_EQ(alone[0][k].tokens, together[i][k].tokens);
      EXPECT_EQ(alone[0][k].score, together[i][k].score);
    }
  }
}

TEST(ConstrainedSearch, RefusesWhatMakesNoSense) {
  const Table table = Table::random(1, 2, 20, 1);
  EXPECT_THROW(search_one(table, {.constraints = {{}}}), UsageError);
  EXPECT_THROW(search_one(table, {.constraints = {{20}}}), UsageError);
  EXPECT_THROW(search_one(table, {.constraints = {{kEosId}}}), UsageError);
  EXPECT_THROW(search_one(table, {.diversity = {.groups = 5}, .constraints = {{5}}}), UsageError);
}

}  // namespace
}  // namespace skein
