// Lexical constraints by themselves. Agreement with the reference's constrained search is in
// beam_search_fixture_test.cc.
#include "skein/decode/constraints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skein {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Sequences = std::vector<std::vector<int32_t>>;

// Letters stand for tokens.
std::vector<int32_t> tokens(std::string_view letters) { return {letters.begin(), letters.end()}; }

std::unique_ptr<Constraints> constraints(const std::vector<std::string>& letters,
                                         ConstraintOrder order) {
  Sequences sequences;
  for (const std::string& each : letters) sequences.push_back(tokens(each));
  return make_constraints(sequences, order);
}

Constraints::Progress read(const Constraints& constraints, std::string_view letters) {
  Constraints::Progress progress = constraints.start();
  for (const int32_t token : tokens(letters)) progress = constraints.advance(progress, token);
  return progress;
}

std::string next(const Constraints& constraints, const Constraints::Progress& progress) {
  std::vector<int32_t> wanted;
  constraints.append_next(progress, wanted);
  return {wanted.begin(), wanted.end()};
}

TEST(OrderedConstraints, AreMetOneAfterAnother) {
  const auto two = constraints({"ab", "c"}, ConstraintOrder::kGiven);
  EXPECT_TRUE(two->all_met(read(*two, "xabxxcx")));
  EXPECT_EQ(two->met_tokens(read(*two, "xabxxcx")), 3);
  EXPECT_FALSE(two->all_met(read(*two, "cab")));
  EXPECT_EQ(two->met_tokens(read(*two, "cab")), 2);
  EXPECT_EQ(two->met_tokens(read(*two, "abx")), 2);  // a gap between two constraints is free
}

TEST(OrderedConstraints, WhatBreaksOffBeginsAgain) {
  const auto two = constraints({"ab", "cd"}, ConstraintOrder::kGiven);
  EXPECT_EQ(two->met_tokens(read(*two, "ax")), 0);
  EXPECT_EQ(two->met_tokens(read(*two, "aa")), 1);  // its own first token is a new beginning
  EXPECT_EQ(two->met_tokens(read(*two, "abcx")), 0);
  EXPECT_TRUE(two->all_met(read(*two, "abcxabcd")));
}

TEST(UnorderedConstraints, AreMetInAnyOrder) {
  const auto two = constraints({"ab", "c"}, ConstraintOrder::kAny);
  EXPECT_TRUE(two->all_met(read(*two, "xabxxcx")));
  EXPECT_TRUE(two->all_met(read(*two, "cab")));
  EXPECT_FALSE(two->all_met(read(*two, "ca")));
  EXPECT_EQ(two->met_tokens(read(*two, "ca")), 2);
  EXPECT_EQ(two->met_tokens(read(*two, "cax")), 1);
}

// As the fixtures of constrained search have it.
TEST(UnorderedConstraints, WhatBreaksOffDoesNotBeginAgainWithItsOwnFirstToken) {
  const auto one = constraints({"ab"}, ConstraintOrder::kAny);
  EXPECT_EQ(one->met_tokens(read(*one, "aa")), 0);
  EXPECT_FALSE(one->all_met(read(*one, "aab")));
  EXPECT_TRUE(one->all_met(read(*one, "aabab")));
}

TEST(UnorderedConstraints, ThatBeginAlikeAreMetOneByOne) {
  const auto two = constraints({"ab", "ac"}, ConstraintOrder::kAny);
  EXPECT_FALSE(two->all_met(read(*two, "ab")));
  EXPECT_TRUE(two->all_met(read(*two, "acab")));
  EXPECT_FALSE(two->all_met(read(*two, "abab")));
}

TEST(UnorderedConstraints, TheSameOneTwiceIsWantedTwice) {
  const auto twice = constraints({"a", "a"}, ConstraintOrder::kAny);
  EXPECT_FALSE(twice->all_met(read(*twice, "a")));
  EXPECT_TRUE(twice->all_met(read(*twice, "axa")));
}

TEST(UnorderedConstraints, OneWithinAnotherNeedsItsOwnTokens) {
  const auto two = constraints({"a", "ab"}, ConstraintOrder::kAny);
  EXPECT_FALSE(two->all_met(read(*two, "ab")));
  EXPECT_TRUE(two->all_met(read(*two, "aab")));
  EXPECT_TRUE(two->all_met(read(*two, "abxa")));
  // Breaking off inside the longer one meets the shorter one.
  EXPECT_EQ(two->met_tokens(read(*two, "ax")), 1);
}

TEST(Constraints, TellWhatComesNext) {
  const auto ordered = constraints({"ab", "c"}, ConstraintOrder::kGiven);
  EXPECT_EQ(next(*ordered, ordered->start()), "a");
  EXPECT_EQ(next(*ordered, read(*ordered, "a")), "b");
  const auto unordered = constraints({"ab", "c"}, ConstraintOrder::kAny);
  EXPECT_EQ(next(*unordered, unordered->start()), "ac");
  EXPECT_EQ(next(*unordered, read(*unordered, "a")), "acb");
}

}  // namespace
}  // namespace skein
