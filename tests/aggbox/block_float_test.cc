#include "aggbox/aggbox/block_float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace aggbox {
namespace {

// What the ranks of a group would get: their lanes added modulo 2^64 as words, as the kernel does.
template <typename Lane = std::uint32_t>
std::vector<float> sum_of(const std::vector<std::vector<float>>& ranks, std::uint64_t seed = 0) {
  std::uint8_t exponent = 0;
  for (const auto& values : ranks) exponent = std::max(exponent, block_exponent(values));
  const BlockFloat<Lane> format(static_cast<std::uint32_t>(ranks.size()));
  std::vector<std::uint64_t> sums((ranks[0].size() * sizeof(Lane) + 7) / 8);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::vector<std::uint64_t> words(sums.size());
    format.quantize(ranks[rank], exponent, seed + rank * 1000,
                    reinterpret_cast<Lane*>(words.data()));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += words[i];
  }
  std::vector<float> result(ranks[0].size());
  format.restore(reinterpret_cast<const Lane*>(sums.data()), exponent, result);
  return result;
}

// N^2 2^(e - b + 1), of the header; twice that for lanes rounded at random.
template <typename Lane>
double bound(std::size_t ranks, double largest) {
  const int bits = 8 * sizeof(Lane);
  return static_cast<double>(ranks * ranks) *
         std::ldexp(2 * largest, (sizeof(Lane) == 1 ? 2 : 1) - bits);  // 2^e <= 2 * largest
}

TEST(BlockFloat, TheExponentIsTheSmallestPowerOfTwoAboveAllValues) {
  EXPECT_EQ(block_exponent(std::vector<float>{0.5F, -0.25F}), 126);  // 2^0
  EXPECT_EQ(block_exponent(std::vector<float>{1, -1}), 127);         // 2^1
  EXPECT_EQ(block_exponent(std::vector<float>{3, -4}), 129);         // 2^3
  EXPECT_EQ(block_exponent(std::vector<float>{std::numeric_limits<float>::max()}), 254);
  EXPECT_EQ(block_exponent(std::vector<float>{0, 1e-44F}), 1);
  EXPECT_EQ(block_exponent(std::vector<float>{1, -std::numeric_limits<float>::infinity()}),
            kNotFinite);
  EXPECT_EQ(block_exponent(std::vector<float>{std::numeric_limits<float>::quiet_NaN()}),
            kNotFinite);
}

TEST(BlockFloat, WholeNumbersAreAddedExactly) {
  EXPECT_EQ(sum_of({{1, -3, 1000000, 0}, {2, 3, 7, 0}, {-4, 5, -1, 0}, {8, 16, 1, 0}}),
            (std::vector<float>{7, 21, 1000007, 0}));
}

TEST(BlockFloat, ValuesAtTheEdgeOfTheirExponentStayInTheirLane) {
  for (std::size_t ranks = 2; ranks <= 64; ++ranks) {
    for (const float edge : {std::nextafter(1.0F, 0.0F), -std::nextafter(1.0F, 0.0F)}) {
      const auto sum = sum_of(std::vector(ranks, std::vector<float>{edge, -edge, edge}));
      const double exact = static_cast<double>(edge) * static_cast<double>(ranks);
      EXPECT_NEAR(sum[0], exact, static_cast<double>(ranks * ranks) * 0x1p-31 + 4e-6) << ranks;
      EXPECT_EQ(sum[0], -sum[1]) << ranks;
      EXPECT_EQ(sum[0], sum[2]) << ranks;
    }
  }
}

template <typename Lane>
class BlockFloatOf : public testing::Test {};
using LaneTypes = testing::Types<std::uint32_t, std::uint16_t, std::uint8_t>;
TYPED_TEST_SUITE(BlockFloatOf, LaneTypes);

TYPED_TEST(BlockFloatOf, TheErrorIsWithinItsBound) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t ranks = 2 + random() % 63;
    const int power = static_cast<int>(random() % 200) - 100;
    std::vector<std::vector<float>> values(ranks, std::vector<float>(352));
    double largest = 0;
    for (auto& one : values) {
      for (float& value : one) {
        value = std::ldexp(static_cast<float>(std::normal_distribution<double>()(random)), power);
        largest = std::max(largest, std::abs(static_cast<double>(value)));
      }
    }
    const auto sums = sum_of<TypeParam>(values, random());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      double exact = 0;
      for (const auto& one : values) exact += one[i];
      ASSERT_NEAR(sums[i], exact, bound<TypeParam>(ranks, largest) + std::abs(exact) * 0x1p-24)
          << "ranks " << ranks << " power " << power;
    }
  }
}

// A third of a unit is a unit a third of the time, whatever the sign.
TEST(BlockFloat, LanesOf8BitsAreRoundedAtRandomAndRightOnAverage) {
  constexpr int kTimes = 20000;
  const float unit = 1.0F / 16;  // S = 16 for 4 ranks, of values below 2^0
  double sum = 0;
  for (int time = 0; time < kTimes; ++time) {
    const auto one =
        sum_of<std::uint8_t>({{0.9F, unit / 3, -unit / 3}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                             static_cast<std::uint64_t>(time) * 7919);
    EXPECT_TRUE(one[1] == 0 || one[1] == unit) << one[1];
    sum += one[1] + one[2];
    sum += one[1];
  }
  // The mean of kTimes coins: standard deviation sqrt(2/9 / kTimes) units a coin; three coins.
  EXPECT_NEAR(sum / kTimes / unit, 1.0 / 3, 5 * 3 * std::sqrt(2.0 / 9 / kTimes));
}

TEST(BlockFloat, TheSameSeedRoundsAlike) {
  const std::vector<std::vector<float>> values(3, std::vector<float>(352, 0.3F));
  EXPECT_EQ(sum_of<std::uint8_t>(values, 5), sum_of<std::uint8_t>(values, 5));
  EXPECT_NE(sum_of<std::uint8_t>(values, 5), sum_of<std::uint8_t>(values, 6));
}

TYPED_TEST(BlockFloatOf, OneRanksLanesAreRestoredByThemselves) {
  const BlockFloat<TypeParam> format(4);
  const std::vector<float> values = {0.5F, -0.25F, 0, 0.75F};  // whole multiples of 1/16
  std::vector<TypeParam> lanes(values.size());
  format.quantize(values, block_exponent(values), 1, lanes.data());
  std::vector<float> restored(values.size());
  format.restore_one(lanes.data(), block_exponent(values), restored);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(restored[i], values[i], sizeof(TypeParam) == 1 ? 1.0 / 16 : 0) << i;
}

}  // namespace
}  // namespace aggbox
