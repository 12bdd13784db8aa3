#include "aggbox/aggbox/block_float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace aggbox {
namespace {

// What the ranks of a group would get: their lanes added modulo 2^64 as pairs, as the kernel does.
std::vector<float> sum_of(const std::vector<std::vector<float>>& ranks) {
  std::uint8_t exponent = 0;
  for (const auto& values : ranks) exponent = std::max(exponent, block_exponent(values));
  const BlockFloat format(static_cast<std::uint32_t>(ranks.size()));
  std::vector<std::uint64_t> sums((ranks[0].size() + 1) / 2);
  for (const auto& values : ranks) {
    std::vector<std::uint64_t> words(sums.size());
    format.quantize(values, exponent, reinterpret_cast<std::uint32_t*>(words.data()));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += words[i];
  }
  std::vector<float> result(ranks[0].size());
  format.restore(reinterpret_cast<const std::uint32_t*>(sums.data()), exponent, result);
  return result;
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

TEST(BlockFloat, TheErrorIsWithinItsBound) {
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
    const auto sums = sum_of(values);
    const double bound =
        static_cast<double>(ranks * ranks) * std::ldexp(largest, -30);  // 2^e <= 2 * largest
    for (std::size_t i = 0; i < sums.size(); ++i) {
      double exact = 0;
      for (const auto& one : values) exact += one[i];
      ASSERT_NEAR(sums[i], exact, bound + std::abs(exact) * 0x1p-24)
          << "ranks " << ranks << " power " << power;
    }
  }
}

}  // namespace
}  // namespace aggbox
