#include "skein/text/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/base/error.h"

namespace skein {
namespace {

TEST(Vocabulary, SpecialTokensComeFirstInFairseqsOrder) {
  const Vocabulary vocabulary;
  EXPECT_THAT(vocabulary.pieces(), testing::ElementsAre("<s>", "<pad>", "</s>", "<unk>"));
  EXPECT_EQ(vocabulary.piece(kEosId), "</s>");
}

TEST(Vocabulary, PiecesAreNumberedFromFour) {
  Vocabulary vocabulary;
  EXPECT_TRUE(vocabulary.add("the"));
  EXPECT_TRUE(vocabulary.add("of"));
  EXPECT_EQ(vocabulary.id("the"), 4);
  EXPECT_EQ(vocabulary.id("of"), 5);
  EXPECT_EQ(vocabulary.piece(5), "of");
  EXPECT_EQ(vocabulary.size(), 6);
}

TEST(Vocabulary, APieceIsThereOnceAndNeverEmptyOrSpecial) {
  Vocabulary vocabulary;
  EXPECT_TRUE(vocabulary.add("the"));
  EXPECT_FALSE(vocabulary.add("the"));
  EXPECT_FALSE(vocabulary.add(""));
  EXPECT_FALSE(vocabulary.add("</s>"));
  EXPECT_EQ(vocabulary.size(), 5);
}

TEST(Vocabulary, TextThatSpellsASpecialTokenIsUnknown) {
  const Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.id("</s>"), kUnkId);
  EXPECT_EQ(vocabulary.id("goose"), kUnkId);
}

TEST(Vocabulary, AnIdOutsideIsRefused) {
  const Vocabulary vocabulary;
  EXPECT_THROW(vocabulary.piece(4), Error);
  EXPECT_THROW(vocabulary.piece(-1), Error);
}

}  // namespace
}  // namespace skein
