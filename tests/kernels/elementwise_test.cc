#include "skein/kernels/elementwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernels/reference.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"

namespace skein::kernels {
namespace {

const int64_t kLengths[] = {0, 1, 15, 16, 33, 20001};

TEST(Elementwise, SumsScalesAndConversionsEqualFloat64) {
  uint64_t seed = 1;
  for (const int64_t length : kLengths) {
    for (const DType type : kBothTypes) {
      for (const DType other : kBothTypes) {
        const Tensor a = random_tensor({length}, type, ++seed);
        const Tensor b = random_tensor({length}, other, ++seed);
        std::vector<double> sum = doubles(a);
        const std::vector<double> added = doubles(b);
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += added[i];
        Tensor out = Tensor::zeros({length}, other);
        add(a, b, out);
        expect_close(out, sum);
        convert(a, out);
        expect_close(out, doubles(a));
        std::vector<double> scaled = doubles(out);
        for (double& value : scaled) value *= -2.5;
        scale(-2.5f, out);
        expect_close(out, scaled);
        if (length == 33) {
          scaled = doubles(out);
          accumulate(b, out);
          for (size_t i = 0; i < scaled.size(); ++i) scaled[i] += added[i];
          expect_close(out, scaled);
        }
      }
    }
  }
}

TEST(Elementwise, RoundsToTheNearestBfloat16AsTheScalarType) {
  std::vector<float> values = {1.0f,
                               1.00390625f,
                               1.01171875f,
                               -1.00390625f,
                               3.4e38f,
                               1e-40f,
                               std::numeric_limits<float>::infinity()};
  const Tensor from = Tensor::from<float>(values, {7});
  Tensor to = Tensor::zeros({7}, DType::kBF16);
  convert(from, to);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(to.data<BFloat16>()[i].bits, BFloat16(values[i]).bits) << values[i];
  }
  Tensor nan = Tensor::zeros({1}, DType::kBF16);
  convert(Tensor::from<float>({std::bit_cast<float>(0xFFFFFFFFu)}, {1}), nan);
  EXPECT_TRUE(std::isnan(static_cast<float>(nan.data<BFloat16>()[0])));
}

TEST(ColumnSum, EqualsFloat64AndAccumulates) {
  uint64_t seed = 50;
  for (const DType type : kBothTypes) {
    for (const Shape& shape : {Shape{1, 1}, Shape{0, 5}, Shape{37, 100}, Shape{500, 33}}) {
      const Tensor x = random_tensor(shape, type, ++seed);
      Tensor out = random_tensor({shape[1]}, DType::kF32, ++seed);
      std::vector<double> expected = doubles(out);
      const std::vector<double> values = doubles(x);
      for (size_t i = 0; i < values.size(); ++i) {
        expected[i % static_cast<size_t>(shape[1])] += values[i];
      }
      column_sum(x, out, true);
      expect_close(out, expected, 20);
    }
  }
}

TEST(SumOfSquares, IsTheSameToTheBitForAnyNumberOfThreads) {
  const Tensor x = random_tensor({100003}, DType::kF32, 3);
  double expected = 0;
  for (const double value : doubles(x)) expected += value * value;
  const int before = threads();
  set_threads(1);
  const double one = sum_of_squares(x);
  set_threads(3);
  const double three = sum_of_squares(x);
  set_threads(before);
  EXPECT_NEAR(one, expected, 1e-9 * expected);
  EXPECT_EQ(one, three);
}

TEST(AllFinite, FindsASingleNanOrInfinity) {
  for (const DType type : kBothTypes) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      Tensor x = random_tensor({40000}, DType::kF32, 4);
      EXPECT_TRUE(all_finite(x.converted(type)));
      x.data<float>()[39999] = bad;
      EXPECT_FALSE(all_finite(x.converted(type)));
    }
  }
}

TEST(Dropout, FollowsItsPlainDefinition) {
  for (const DType type : kBothTypes) {
    const Dropout mask = {.probability = 0.3f, .seed = 12345};
    const Tensor x = random_tensor({1001}, type, 6);
    Tensor out = Tensor::zeros({1001}, type);
    dropout(mask, x, out);
    std::vector<double> expected = doubles(x);
    for (size_t i = 0; i < expected.size(); ++i) {
      expected[i] *= static_cast<double>(dropout_factor(mask, i));
    }
    expect_close(out, expected);
  }
}

TEST(Dropout, OfProbabilityZeroIsTheIdentityAndOneIsRefused) {
  const Tensor x = random_tensor({100}, DType::kF32, 7);
  Tensor out = Tensor::zeros({100}, DType::kF32);
  dropout({.probability = 0, .seed = 1}, x, out);
  EXPECT_EQ(doubles(out), doubles(x));
  EXPECT_THROW(dropout({.probability = 1, .seed = 1}, x, out), ShapeError);
}

// Kept elements as ±1, so that independent masks have a correlation of 0 ± 1 / sqrt(count).
std::vector<double> centred(const Dropout& mask, uint64_t first, size_t count) {
  std::vector<double> signs(count);
  const double p = static_cast<double>(mask.probability), deviation = std::sqrt(p * (1 - p));
  for (size_t i = 0; i < count; ++i) {
    const double dropped = dropout_factor(mask, first + i) == 0 ? 1 : 0;
    signs[i] = (dropped - p) / deviation;
  }
  return signs;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b, size_t lag) {
  double sum = 0;
  const size_t count = a.size() - lag;
  for (size_t i = 0; i < count; ++i) sum += a[i] * b[i + lag];
  return sum / std::sqrt(static_cast<double>(count));  // in standard deviations
}

TEST(Dropout, MasksAreIndependentOfNeighboursRowsAndSeeds) {
  constexpr size_t kCount = 1 << 20;
  for (const float p : {0.1f, 0.5f}) {
    const std::vector<double> mask = centred({p, 1}, 0, kCount);
    double sum = 0;
    for (const double value : mask) sum += value;
    EXPECT_LT(std::abs(sum / std::sqrt(kCount)), 4.5);
    for (const size_t lag : {1, 2, 3, 4, 16, 64, 512, 513, 65536}) {
      EXPECT_LT(std::abs(correlation(mask, mask, lag)), 4.5) << "lag " << lag;
    }
    for (const uint64_t seed : {uint64_t{2}, uint64_t{3}, uint64_t{1} << 32, uint64_t{1} << 63}) {
      EXPECT_LT(std::abs(correlation(mask, centred({p, seed}, 0, kCount), 0)), 4.5)
          << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace skein::kernels
