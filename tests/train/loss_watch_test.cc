#include "skein/train/loss_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace skein {
namespace {

// The calls, counted from 1, that a sentence came from.
std::vector<int> warnings(const std::vector<double>& losses) {
  LossWatch watch;
  std::vector<int> calls;
  int call = 0;
  for (const double loss : losses) {
    ++call;
    if (watch.see(loss, 100 * call)) calls.push_back(call);
  }
  return calls;
}

TEST(LossWatch, WarnsOnceOfALossThatStaysFarAboveItsLeast) {
  const struct {
    const char* description;
    std::vector<double> losses;
    std::vector<int> calls;
  } kCases[] = {
      {"falling", {9, 7, 5, 4, 3}, {}},
      {"rising a little for long", {9, 3, 4, 4.4, 4.4, 4.4, 4.4}, {}},
      {"two rows above, then back", {9, 3, 6, 6, 3, 6, 6, 3}, {}},
      {"three rows above: at the third, and not again", {9, 3, 6, 7, 8, 9, 9}, {5}},
      {"anew after it has come back", {3, 6, 6, 6, 3.5, 6, 6, 6}, {4, 8}},
      {"from the first row on", {2, 4, 4, 4}, {4}},
  };
  for (const auto& [description, losses, calls] : kCases) {
    EXPECT_EQ(warnings(losses), calls) << description;
  }
}

TEST(LossWatch, TheSentenceSaysFromWhereToWhere) {
  LossWatch watch;
  watch.see(2.5, 300);
  watch.see(8, 400);
  watch.see(8, 500);
  EXPECT_THAT(watch.see(7.25, 600).value_or(""),
              testing::HasSubstr("was 2.50 nats a token at update 300 and is 7.25 at update 600"));
}

}  // namespace
}  // namespace skein
