#include "skein/base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace skein {
namespace {

// The known answer for counter 0 and key 0 from the Random123 distribution (kat_vectors, philox4x32
// 10).
TEST(Random, GivesThePublishedPhiloxNumbers) {
  Random random(0);
  EXPECT_EQ(random.next_u32(), 0x6627e8d5u);
  EXPECT_EQ(random.next_u32(), 0xe169c58du);
  EXPECT_EQ(random.next_u32(), 0xbc57ac4cu);
  EXPECT_EQ(random.next_u32(), 0x9b00dbd8u);
}

TEST(Random, SeekingGoesOnAsIfNothingHadHappened) {
  Random whole(7, 3);
  for (int i = 0; i < 13; ++i) whole.next_u32();
  Random resumed(7, 3);
  resumed.seek(whole.position());
  for (int i = 0; i < 9; ++i) EXPECT_EQ(whole.next_u32(), resumed.next_u32());
}

TEST(Random, StreamsDiffer) {
  Random a(1, 0);
  Random b(1, 1);
  EXPECT_NE(a.next_u64(), b.next_u64());
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  Random random(11);
  double sum = 0;
  double squares = 0;
  constexpr int kCount = 200000;
  for (int i = 0; i < kCount; ++i) {
    const double value = random.normal();
    sum += value;
    squares += value * value;
  }
  // Five standard errors: 5 / sqrt(n) for the mean, 5 sqrt(2 / n) for the variance.
  EXPECT_NEAR(sum / kCount, 0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
}

TEST(Random, ShuffleKeepsEveryElement) {
  std::vector<int> values = {0, 1, 2, 3, 4, 5, 6, 7};
  Random random(5);
  random.shuffle(std::span<int>(values));
  std::vector<bool> seen(values.size());
  for (int value : values) seen[static_cast<size_t>(value)] = true;
  for (bool each : seen) EXPECT_TRUE(each);
}

}  // namespace
}  // namespace skein
