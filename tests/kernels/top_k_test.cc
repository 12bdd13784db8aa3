#include "skein/kernels/top_k.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "skein/base/random.h"

namespace skein::kernels {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> random_row(Random& random, size_t count) {
  std::vector<float> row(count);
  for (float& value : row) value = static_cast<float>(random.normal() * 4);
  return row;
}

double plain_log_sum_exp(const std::vector<float>& row, double scale) {
  double sum = 0;
  for (const float value : row) sum += std::exp(scale * value);
  return std::log(sum);
}

std::vector<RankedValue> plain_top_k(const std::vector<float>& row, size_t k) {
  std::vector<RankedValue> all;
  for (size_t i = 0; i < row.size(); ++i) all.push_back({row[i], static_cast<int32_t>(i)});
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.value > b.value; });
  all.resize(std::min(k, all.size()));
  return all;
}

TEST(LogSumExp, EqualsTheSumInDoublePrecision) {
  Random random(1);
  for (const size_t count : {1, 2, 15, 16, 17, 63, 64, 65, 1000, 32003}) {
    const std::vector<float> row = random_row(random, count);
    for (const float scale : {0.5F, 1.0F, 2.0F}) {
      EXPECT_NEAR(log_sum_exp(row, scale), plain_log_sum_exp(row, scale), 5e-6) << count;
    }
  }
}

TEST(LogSumExp, OfLargeValuesDoesNotOverflow) {
  // log(e^1000 + e^1000) = 1000 + log 2.
  EXPECT_FLOAT_EQ(log_sum_exp(std::vector<float>{1000, 1000, -kInfinity}), 1000.6931F);
}

TEST(LogSumExp, ShowsWhatIsNotANumber) {
  std::vector<float> row(100, 1.0F);
  for (const size_t place : {0, 50, 99}) {
    std::vector<float> damaged = row;
    damaged[place] = kNan;
    EXPECT_TRUE(std::isnan(log_sum_exp(damaged))) << place;
  }
  EXPECT_TRUE(std::isnan(log_sum_exp(std::vector<float>(40, kNan))));
}

TEST(LogSumExp, OfNothingIsMinusInfinity) {
  EXPECT_EQ(log_sum_exp({}), -kInfinity);
  EXPECT_EQ(log_sum_exp(std::vector<float>(40, -kInfinity)), -kInfinity);
}

TEST(TopK, TakesTheLargestInOrder) {
  std::vector<RankedValue> best;
  top_k(std::vector<float>{1, 7, -3, 7, 9}, 3, best);
  EXPECT_THAT(best, ElementsAre(RankedValue{9, 4}, RankedValue{7, 1}, RankedValue{7, 3}));
}

TEST(TopK, LeavesOutMinusInfinityAndNan) {
  std::vector<RankedValue> best;
  top_k(std::vector<float>{-kInfinity, 2, kNan, 1}, 4, best);
  EXPECT_THAT(best, ElementsAre(RankedValue{2, 1}, RankedValue{1, 3}));
  top_k(std::vector<float>{1, 2}, 0, best);
  EXPECT_THAT(best, IsEmpty());
}

TEST(TopK, EqualsASortOfTheWholeRow) {
  Random random(2);
  std::vector<RankedValue> best;
  for (const size_t count : {1, 7, 64, 65, 200, 5000}) {
    std::vector<float> row = random_row(random, count);
    for (float& value : row) value = std::round(value * 8) / 8;  // many equal values
    for (const size_t k : {1, 2, 10, 300}) {
      top_k(row, static_cast<int64_t>(k), best);
      EXPECT_EQ(best, plain_top_k(row, k)) << count << " values, k = " << k;
    }
  }
}

}  // namespace
}  // namespace skein::kernels
