// Vijayakumar et al. 2016, and the penalty of siblings of Li et al. 2016. Agreement with the
// reference is in beam_search_fixture_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "decode/table_search.h"
#include "skein/base/error.h"
#include "skein/decode/beam_search.h"
#include "skein/decode/diverse_strategy.h"

namespace skein {
namespace {

using testing::HasSubstr;

constexpr int64_t kVocabulary = 7;
constexpr int32_t kA = 4;
constexpr int32_t kB = 5;
constexpr int32_t kC = 6;

// A (0.5), B (0.3) or C (0.2), then the end.
Table three_words() {
  return table_of(2, kVocabulary,
                  {{0, kEosId, kA, 0.5},
                   {0, kEosId, kB, 0.3},
                   {0, kEosId, kC, 0.2},
                   {1, kA, kEosId, 1},
                   {1, kB, kEosId, 1},
                   {1, kC, kEosId, 1}});
}

TEST(DiverseBeam, ALaterGroupAvoidsTheTokensOfEarlierOnes) {
  // Each group has a beam of one and two candidates. The first takes A and B, so both cost the
  // second group the strength: log 0.5 - 2 < log 0.2.
  const auto found = search_one(
      three_words(), {.beam = 2, .normalize = false, .diversity = {.groups = 2, .strength = 2}});
  std::set<int32_t> first;
  for (const Hypothesis& each : found) first.insert(each.tokens[0]);
  EXPECT_EQ(first, (std::set<int32_t>{kA, kC}));
}

TEST(DiverseBeam, PenaltiesStayInTheScores) {
  // The second group's end of the sentence is one that the first group chose, too.
  const auto found = search_one(
      three_words(), {.beam = 2, .normalize = false, .diversity = {.groups = 2, .strength = 2}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].score, std::log(0.5), 1e-5);
  EXPECT_NEAR(found[1].score, std::log(0.2) - 2, 1e-5);
}

TEST(DiverseBeam, TokensOfAPrefixAreNoDecisionOfAGroup) {
  const Table table = Table::random(1, 6, kVocabulary, 5);
  const std::vector<int32_t> prefix = {kA, kB, kA};
  const SearchOptions plain{.beam = 4, .normalize = false, .prefix = prefix};
  for (const DiversityOptions& diversity :
       {DiversityOptions{.groups = 2, .strength = 3, .discount = 1},
        DiversityOptions{.groups = 4, .strength = 1}, DiversityOptions{.sibling_rate = 2}}) {
    SearchOptions options = plain;
    options.diversity = diversity;
    const auto found = search_one(table, options);
    ASSERT_EQ(found.size(), 4u);
    for (const Hypothesis& each : found) {
      int32_t previous = kEosId;
      for (size_t t = 0; t < prefix.size(); ++t) {
        ASSERT_EQ(each.tokens[t], prefix[t]);
        const float score =
            table.row(0, static_cast<int64_t>(t), previous)[static_cast<size_t>(prefix[t])];
        EXPECT_NEAR(each.token_scores[t], score, 1e-5);
        previous = prefix[t];
      }
    }
  }
  // Nor does their agreement make the first free word dearer: what a group takes there is what it
  // takes without a discount.
  const auto with_discount = [&](double discount) {
    SearchOptions options = plain;
    options.max_length_a = 0;
    options.max_length_b = 4;
    options.diversity = {.groups = 2, .strength = 3, .discount = discount};
    return search_one(table, options);
  };
  const auto none = with_discount(0), all = with_discount(1);
  ASSERT_EQ(none.size(), all.size());
  for (size_t i = 0; i < none.size(); ++i) {
    EXPECT_EQ(none[i].token_scores[prefix.size()], all[i].token_scores[prefix.size()]);
  }
}

TEST(DiverseBeam, OfNoStrengthTheFirstGroupIsASmallerBeamSearch) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const Table table = Table::random(1, 6, kVocabulary, seed);
    const SearchOptions plain{.beam = 3, .max_length_a = 0, .max_length_b = 6};
    SearchOptions diverse = plain;
    diverse.beam = 6;
    diverse.diversity = {.groups = 2, .strength = 0};
    const auto best = search_one(table, plain).front();
    EXPECT_GE(search_one(table, diverse).front().score, best.score - 1e-6) << seed;
  }
}

TEST(DiverseBeam, MoreStrengthGivesMoreDifferentWords) {
  // Over many tables: the words with which six hypotheses begin.
  const auto beginnings = [](double strength) {
    size_t count = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const auto found = search_one(Table::random(1, 6, 30, seed),
                                    {.beam = 6,
                                     .max_length_a = 0,
                                     .max_length_b = 6,
                                     .diversity = {.groups = 6, .strength = strength}});
      std::set<int32_t> words;
      for (const Hypothesis& each : found) words.insert(each.tokens[0]);
      count += words.size();
    }
    return count;
  };
  EXPECT_LT(beginnings(0), beginnings(0.5));
  EXPECT_LT(beginnings(0.5), beginnings(2));
  EXPECT_EQ(beginnings(0), 40u);  // without strength all groups do the same
}

TEST(DiverseBeam, TheDiscountRemembersAgreement) {
  // Step 1: both groups choose the same two tokens (strength 0.1 changes no order), agreement 2.
  // Step 2: each of the first group's two candidates costs the second 0.1 · (1 + 2).
  DiverseStrategy strategy({.beam = 2, .diversity = {.groups = 2, .strength = 0.1, .discount = 1}});
  const std::vector<kernels::RankedValue> next = {{-1, kA}, {-3, kB}};
  const std::vector<ScoredRow> start = {{0, next}};
  EXPECT_EQ(strategy.choose(start).size(), 4u);
  const std::vector<ScoredRow> rows = {{0, next}, {0, next}};
  const std::vector<Candidate> second = strategy.choose(rows);
  EXPECT_FLOAT_EQ(second[0].score, -1);     // first group, kA
  EXPECT_FLOAT_EQ(second[1].score, -1.3F);  // second group, kA
  EXPECT_FLOAT_EQ(second[3].score, -3.3F);
}

TEST(DiverseBeam, SiblingsGetDearerFromTheSecondStepOn) {
  // By plain scores A B (0.36) and A C (0.24) lead, and B B has 0.2. With a rate of 1, A C loses 2
  // as the second continuation of A, the others 1; the end of the sentence costs all of them 1.
  const Table table = table_of(3, kVocabulary,
                               {{0, kEosId, kA, 0.6},
                                {0, kEosId, kB, 0.4},
                                {1, kA, kB, 0.6},
                                {1, kA, kC, 0.4},
                                {1, kB, kB, 0.5},
                                {1, kB, kC, 0.5},
                                {2, kB, kEosId, 1},
                                {2, kC, kEosId, 1}});
  SearchOptions options{.beam = 2, .normalize = false};
  const auto plain = search_one(table, options);
  ASSERT_EQ(plain.size(), 2u);
  EXPECT_EQ(plain[1].tokens, (std::vector<int32_t>{kA, kC, kEosId}));
  options.diversity.sibling_rate = 1;
  const auto found = search_one(table, options);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].score, std::log(0.36) - 2, 1e-5);
  EXPECT_EQ(found[1].tokens, (std::vector<int32_t>{kB, kB, kEosId}));
  EXPECT_NEAR(found[1].score, std::log(0.2) - 2, 1e-5);
  EXPECT_NEAR(found[1].token_scores[0], std::log(0.4), 1e-5);
}

TEST(DiverseBeam, RefusesGroupsThatDoNotDivideTheBeam) {
  try {
    search_one(three_words(), {.beam = 5, .diversity = {.groups = 2}});
    FAIL() << "five hypotheses in two groups";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a beam of 5 cannot be parted into 2 diverse groups"));
  }
  EXPECT_THROW(search_one(three_words(), {.diversity = {.groups = 0}}), UsageError);
  EXPECT_THROW(search_one(three_words(), {.beam = 1, .diversity = {.sibling_rate = 1}}),
               UsageError);
  EXPECT_THROW(search_one(three_words(), {.diversity = {.groups = 5, .strength = -1}}), UsageError);
  EXPECT_THROW(search_one(three_words(), {.diversity = {.groups = 5, .sibling_rate = 1}}),
               UsageError);
}

}  // namespace
}  // namespace skein
