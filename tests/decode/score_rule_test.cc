#include "skein/decode/score_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/decode/length_rules.h"
#include "skein/decode/no_repeat_rule.h"
#include "skein/decode/word_rules.h"

namespace skein {
namespace {

using testing::ElementsAre;

constexpr int32_t kA = 4;
constexpr int32_t kB = 5;

// A hypothesis and what a rule leaves of the logits 0, -1, -2, ... of a vocabulary of six.
struct Example {
  explicit Example(const std::vector<int32_t>& tokens) : length(std::ssize(tokens)) {
    for (const int32_t token : tokens) node = tree.add(node, token, 0);
  }

  std::vector<float> after(const ScoreRule& rule) {
    std::vector<float> logits = {0, -1, -2, -3, -4, -5};
    verdict = rule.apply({tree, node, length}, logits);
    return logits;
  }

  HypothesisTree tree;
  int32_t node = HypothesisTree::kRoot;
  int64_t length;
  ScoreRule::Verdict verdict = ScoreRule::Verdict::kOpen;
};

TEST(ScoreRule, PaddingIsNeverAWord) {
  EXPECT_THAT(Example({}).after(NoPaddingRule()), ElementsAre(0, kForbidden, -2, -3, -4, -5));
}

TEST(ScoreRule, TheUnknownWordCostsItsPenalty) {
  EXPECT_THAT(Example({}).after(UnknownWordRule(1.5)), ElementsAre(0, -1, -2, -4.5F, -4, -5));
}

TEST(ScoreRule, APrefixLeavesItsTokenAndDecidesUntilItEnds) {
  const PrefixRule rule({kB, kA});
  Example begun({kB});
  EXPECT_THAT(begun.after(rule),
              ElementsAre(kForbidden, kForbidden, kForbidden, kForbidden, -4, kForbidden));
  EXPECT_EQ(begun.verdict, ScoreRule::Verdict::kDecided);
  Example complete({kB, kA});
  EXPECT_THAT(complete.after(rule), ElementsAre(0, -1, -2, -3, -4, -5));
  EXPECT_EQ(complete.verdict, ScoreRule::Verdict::kOpen);
}

TEST(ScoreRule, LengthsForbidAnEarlyEndAndForceALateOne) {
  EXPECT_THAT(Example({kA}).after(MinimumLengthRule(2)),
              ElementsAre(0, -1, kForbidden, -3, -4, -5));
  EXPECT_THAT(Example({kA, kA}).after(MinimumLengthRule(2)), ElementsAre(0, -1, -2, -3, -4, -5));
  EXPECT_THAT(Example({kA}).after(MaximumLengthRule(2)), ElementsAre(0, -1, -2, -3, -4, -5));
  EXPECT_THAT(Example({kA, kA}).after(MaximumLengthRule(2)),
              ElementsAre(kForbidden, kForbidden, -2, kForbidden, kForbidden, kForbidden));
}

TEST(ScoreRule, NoNGramComesTwice) {
  // Of bigrams: A B, B A and A A are there; A follows, so a second A A and A B are forbidden.
  EXPECT_THAT(Example({kA, kB, kA, kA}).after(NoRepeatRule(2)),
              ElementsAre(0, -1, -2, -3, kForbidden, kForbidden));
  // A trigram begins with A A, and that has not gone on yet.
  EXPECT_THAT(Example({kA, kB, kA, kA}).after(NoRepeatRule(3)), ElementsAre(0, -1, -2, -3, -4, -5));
  // The eos that the decoder started from takes part: eos A is there.
  EXPECT_THAT(Example({kA}).after(NoRepeatRule(1)), ElementsAre(0, -1, -2, -3, kForbidden, -5));
}

TEST(ScoreRule, ThePrefixGoesBeforeLengthAndRepetition) {
  const SearchOptions options{.min_length = 5, .no_repeat_ngram = 1, .prefix = {kA, kA}};
  Example begun({kA});
  std::vector<float> logits = {0, -1, -2, -3, -4, -5};
  apply(make_score_rules(options, {.least = 5, .most = 9}), {begun.tree, begun.node, 1}, logits);
  EXPECT_THAT(logits, ElementsAre(kForbidden, kForbidden, kForbidden, kForbidden, -4, kForbidden));
}

TEST(ScoreRule, TheMaximumLengthGoesBeforeTheMinimum) {
  std::vector<float> logits = {0, -1, -2, -3, -4, -5};
  Example begun({kA});
  apply(make_score_rules({}, {.least = 3, .most = 1}), {begun.tree, begun.node, 1}, logits);
  EXPECT_EQ(logits[kEosId], -2);
}

TEST(LengthBounds, FollowTheSourceAndTheModelsPositions) {
  // The end of the source counts: 2 · 4 + 3.
  const SearchOptions options{
      .min_length_a = 0.5, .min_length = 1, .max_length_a = 2, .max_length_b = 3};
  EXPECT_EQ(length_bounds(options, 4, 100).most, 11);
  EXPECT_EQ(length_bounds(options, 4, 100).least, 3);
  EXPECT_EQ(length_bounds(options, 4, 8).most, 7);
}

TEST(LengthBounds, CanBeThoseOfTheSource) {
  const LengthBounds lengths = length_bounds({.match_source_length = true}, 4, 100);
  EXPECT_EQ(lengths.least, 3);
  EXPECT_EQ(lengths.most, 3);
}

}  // namespace
}  // namespace skein
