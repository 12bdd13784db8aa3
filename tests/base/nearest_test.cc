#include "skein/base/nearest.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <vector>

#include "skein/base/error.h"

namespace skein {
namespace {

TEST(NearestName, FindsTheNameOneSlipAway) {
  const std::vector<std::string> names = {"train", "translate", "score"};
  EXPECT_EQ(nearest_name("trian", names), "train");
  EXPECT_EQ(nearest_name("translat", names), "translate");
}

TEST(NearestName, SuggestsNothingForAnUnrelatedWord) {
  const std::vector<std::string> names = {"train", "translate"};
  EXPECT_EQ(nearest_name("xyzzy", names), "");
}

TEST(RequireName, GivesThePositionOrASentenceWithTheNearest) {
  constexpr std::array<std::string_view, 2> names = {"exp", "floor"};
  EXPECT_EQ(require_name("smoothing", "floor", names), 1u);
  try {
    require_name("smoothing", "flour", names);
    FAIL() << "an unknown name was taken";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "there is no smoothing 'flour'; did you mean 'floor'? (known: exp floor)");
  }
}

}  // namespace
}  // namespace skein
