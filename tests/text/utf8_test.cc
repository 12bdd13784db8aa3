#include "skein/text/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "skein/base/error.h"
#include "skein/base/random.h"

namespace skein {
namespace {

using std::string_view_literals::operator""sv;
constexpr size_t kNone = std::string_view::npos;

TEST(Utf8, WellFormedTextHasNoInvalidOffset) {
  EXPECT_EQ(find_invalid_utf8(""), kNone);
  EXPECT_EQ(find_invalid_utf8("plain ASCII text, long enough for the fast path"), kNone);
  EXPECT_EQ(find_invalid_utf8("\0"sv), kNone);
  EXPECT_EQ(find_invalid_utf8("Grüße, 世界 \xF0\x9F\xA6\xA2 \xF4\x8F\xBF\xBF"), kNone);
}

// The rows of The Unicode Standard 15.0, tables 3-8 to 3-11: sequences that must be refused.
TEST(Utf8, IllFormedSequencesOfTheStandardAreRefused) {
  EXPECT_EQ(find_invalid_utf8("a\xC0\xAF"), 1U) << "overlong, two bytes";
  EXPECT_EQ(find_invalid_utf8("ab\xE0\x80\xBF"), 2U) << "overlong, three bytes";
  EXPECT_EQ(find_invalid_utf8("\xF0\x81\x82\x41"), 0U) << "overlong, four bytes";
  EXPECT_EQ(find_invalid_utf8("\xED\xA0\x80"), 0U) << "surrogate";
  EXPECT_EQ(find_invalid_utf8("\xED\xBF\xBF"), 0U) << "surrogate";
  EXPECT_EQ(find_invalid_utf8("\xF4\x91\x92\x93"), 0U) << "above U+10FFFF";
  EXPECT_EQ(find_invalid_utf8("\xFF"), 0U) << "no lead byte";
  EXPECT_EQ(find_invalid_utf8("\x80"), 0U) << "a continuation alone";
  EXPECT_EQ(find_invalid_utf8("0123456\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), 7U) << "truncated";
  EXPECT_EQ(find_invalid_utf8("012345678\xE4\xB8"), 9U) << "cut at the end";
}

TEST(Utf8, TheErrorNamesTheByte) {
  try {
    require_utf8("caf\xE9");
    FAIL() << "expected a FormatError";
  } catch (const FormatError& error) {
    EXPECT_STREQ(error.what(), "byte 4 (0xE9) of the line is not UTF-8; convert the text to UTF-8");
  }
}

TEST(Utf8, EveryCodePointSurvivesEncodingAndDecoding) {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point >= 0xD800 && code_point <= 0xDFFF) continue;
    std::string text;
    append_utf8(code_point, text);
    ASSERT_EQ(find_invalid_utf8(text), kNone) << std::hex << uint32_t{code_point};
    ASSERT_EQ(utf8_length(text[0]), text.size());
    ASSERT_EQ(decode_utf8(text), code_point);
  }
}

TEST(Utf8, CharactersAreViewsOfTheText) {
  const std::string text = "aß世\xF0\x9F\xA6\xA2";
  std::vector<std::string> characters;
  for (const std::string_view character : Characters(text)) characters.emplace_back(character);
  EXPECT_THAT(characters, testing::ElementsAre("a", "ß", "世", "\xF0\x9F\xA6\xA2"));
}

TEST(Utf8, TheOffsetSplitsRandomBytesIntoAValidPartAndAnInvalidCharacter) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (uint64_t length = random.below(24); length > 0; --length) {
      bytes += static_cast<char>(random.below(2) == 0 ? random.below(128) : random.below(256));
    }
    const size_t offset = find_invalid_utf8(bytes);
    if (offset == kNone) continue;
    ASSERT_LT(offset, bytes.size());
    ASSERT_EQ(find_invalid_utf8(std::string_view(bytes).substr(0, offset)), kNone);
    ASSERT_EQ(find_invalid_utf8(std::string_view(bytes).substr(offset)), 0U);
  }
}

}  // namespace
}  // namespace skein
