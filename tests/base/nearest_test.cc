#include "skein/base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

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

}  // namespace
}  // namespace skein
