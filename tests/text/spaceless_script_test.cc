#include "skein/text/spaceless_script.h"

#include <gtest/gtest.h>

#include <string>

namespace skein {
namespace {

TEST(SpacelessScript, IsOneThatPartsNoWords) {
  for (const std::string text : {"我", "abc 華沙", "ひ", "カナ", "ไทย", "ລາວ", "ខ្មែរ", "မြန်မာ"}) {
    EXPECT_TRUE(has_spaceless_script(text)) << text;
  }
  for (const std::string text : {"", "Łódź, 12!", "Москва", "한국어", "हिन्दी", "عربي", "。"}) {
    EXPECT_FALSE(has_spaceless_script(text)) << text;
  }
}

}  // namespace
}  // namespace skein
