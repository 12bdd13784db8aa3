#include "skein/decode/assemble_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skein {
namespace {

using testing::ElementsAre;

// Two parts of a line, each with three words by its tokeniser's count on either side.
std::vector<WordPair> alignment_of_parts(bool space_before) {
  const std::vector<SourcePart> sources = {
      {.text = "a b", .tokens = {kEosId}},
      {.text = "c", .tokens = {kEosId}, .space_before = space_before}};
  std::vector<TranslatedPart> parts;
  for (const SourcePart& source : sources) {
    parts.push_back({.source = &source});
    parts.back().found.push_back({.text = "x y",
                                  .search = {.tokens = {kEosId}, .token_scores = {-1}, .score = -1},
                                  .alignment = {{0, 0}, {2, 2}},
                                  .words = {3, 3}});
  }
  const Translation whole = assemble_parts(parts);
  EXPECT_EQ(whole.hypotheses.at(0).text, space_before ? "x y x y" : "x yx y");
  EXPECT_EQ(whole.hypotheses.at(0).words.source, space_before ? 6 : 5);
  return whole.hypotheses.at(0).alignment;
}

TEST(AssembleParts, WordsOfALaterPartAreNumberedBehindThoseBefore) {
  EXPECT_THAT(alignment_of_parts(true),
              ElementsAre(WordPair{0, 0}, WordPair{2, 2}, WordPair{3, 3}, WordPair{5, 5}));
}

TEST(AssembleParts, WithoutASpaceAWordGoesOnInTheNextPart) {
  EXPECT_THAT(alignment_of_parts(false),
              ElementsAre(WordPair{0, 0}, WordPair{2, 2}, WordPair{4, 4}));
}

}  // namespace
}  // namespace skein
