// Expected values: Python 3.11's str.split(), str.rstrip() and str.lower().
#include "skein/text/python_text.h"

#include <gtest/gtest.h>

namespace skein {
namespace {

TEST(PythonText, SplitsAtWhiteSpaceOfUnicodeAndOfAsciiControls) {
  EXPECT_EQ(split_words(" a\u00A0b\u3000\u2009c\x1C\x1F"
                        "d\u0085\ne\u200Bf "),
            (std::vector<std::string_view>{"a", "b", "c", "d", "e\u200Bf"}));
  EXPECT_TRUE(split_words(" \t\n").empty());
}

TEST(PythonText, TrimsTheEndOnly) {
  EXPECT_EQ(trim_end(" ä \u3000\r"), " ä");
  EXPECT_EQ(trim_end(""), "");
}

TEST(PythonText, LowerCaseMapsFinalSigmaAndDottedI) {
  EXPECT_EQ(lower_case("ΟΔΟΣ Σ"), "οδος σ");
  EXPECT_EQ(lower_case("İ"), "i\u0307");
  EXPECT_EQ(lower_case("ABC-z"), "abc-z");
}

TEST(PythonText, MalformedBytesBecomeReplacementCharacters) {
  EXPECT_EQ(code_points("a\xFF"), U"a\uFFFD");
  EXPECT_EQ(to_utf8(U"aä漢\U0001F600"), "aä漢😀");
}

}  // namespace
}  // namespace skein
