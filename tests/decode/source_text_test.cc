#include "skein/decode/source_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/base/error.h"
#include "skein/text/tokenizers.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// One token a character, so that lengths can be counted by eye.
class SourceTextTest : public testing::Test {
 protected:
  void SetUp() override {
    bool given = false;
    tokenizer_ = learn_tokenizer("char", {.size = 1000}, [&](std::string& line) {
      line = "abcdefghijklmnopqrstuvwxyz .,;: 你好吗。，";
      return !std::exchange(given, true);
    });
  }

  SourceText encode(std::string_view line, int64_t max_length, LongLines policy) const {
    return encode_source(line, *tokenizer_, max_length, policy);
  }

  std::vector<std::string> split(std::string_view line, int64_t max_length) const {
    std::vector<std::string> texts;
    for (const SourcePart& part : encode(line, max_length, LongLines::kSplit).parts) {
      EXPECT_LE(static_cast<int64_t>(part.tokens.size()), max_length);
      EXPECT_EQ(part.tokens.back(), kEosId);
      texts.push_back((part.space_before ? "_" : "") + tokenizer_->decode(part.tokens));
    }
    return texts;
  }

  std::unique_ptr<Tokenizer> tokenizer_;
};

TEST_F(SourceTextTest, AUsualLineIsOnePartThatEndsInEos) {
  EXPECT_THAT(split("a dog", 100), ElementsAre("a dog"));
}

TEST_F(SourceTextTest, ALineWithoutContentHasNoParts) {
  EXPECT_THAT(split("", 100), IsEmpty());
  EXPECT_THAT(split("   ", 100), IsEmpty());
}

TEST_F(SourceTextTest, ALongLineIsSplitAtTheEndOfASentence) {
  EXPECT_THAT(split("one two. three four, five", 24), ElementsAre("one two.", "_three four, five"));
}

TEST_F(SourceTextTest, ElseAtACommaElseAtASpaceElseBetweenCharacters) {
  EXPECT_THAT(split("one two three, four five", 20), ElementsAre("one two three,", "_four five"));
  EXPECT_THAT(split("one two three four", 16), ElementsAre("one two", "_three four"));
  EXPECT_THAT(split("onetwothreef", 8), ElementsAre("onetwo", "threef"));
}

TEST_F(SourceTextTest, TextWithoutSpacesIsSplitBehindItsOwnPunctuation) {
  EXPECT_THAT(split("你好你好。你好吗", 8), ElementsAre("你好你好。", "你好吗"));
}

TEST_F(SourceTextTest, HalvesAreSplitAgainUntilAllFit) {
  const std::vector<std::string> parts = split("a b c d e f g h i j k l m n o p", 6);
  std::string joined;
  for (const std::string& part : parts) joined += part;
  EXPECT_EQ(joined, "a b_c d_e f_g h_i j_k l_m n_o p");
}

TEST_F(SourceTextTest, TruncationIsTold) {
  const SourceText text = encode("abcdef", 4, LongLines::kTruncate);
  ASSERT_THAT(text.parts, SizeIs(1));
  EXPECT_EQ(tokenizer_->decode(text.parts[0].tokens), "abc");
  EXPECT_TRUE(text.truncated);
  EXPECT_FALSE(encode("abc", 4, LongLines::kTruncate).truncated);
}

TEST_F(SourceTextTest, RefusalNamesBothLengthsAndTheRemedy) {
  try {
    encode("abcdef", 4, LongLines::kRefuse);
    FAIL() << "the line was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("has 6 tokens and the model has positions for 3"));
    EXPECT_THAT(error.what(), HasSubstr("--on-long"));
  }
}

TEST_F(SourceTextTest, BytesThatAreNotUtf8AreAnError) {
  EXPECT_THROW(encode("a\xff", 10, LongLines::kSplit), FormatError);
}

TEST(LongLines, AnUnknownNameGetsTheNearest) {
  EXPECT_EQ(long_lines_from_name("truncate"), LongLines::kTruncate);
  EXPECT_THROW(long_lines_from_name("splt"), UsageError);
}

}  // namespace
}  // namespace skein
