#include "skein/kernels/cross_entropy.h"

#include <gtest/gtest.h>

#include <limits>

#include "kernels/reference.h"
#include "skein/base/error.h"

namespace skein::kernels {
namespace {

double log_sum_exp(const std::vector<double>& row) {
  double sum = 0;
  for (const double x : row) sum += std::exp(x);
  return std::log(sum);
}

std::vector<double> row_of(const Tensor& tensor, int64_t row) {
  return doubles(tensor.slice(row, row + 1));
}

std::vector<int32_t> random_targets(int64_t rows, int64_t words, uint64_t seed) {
  Random random(seed);
  std::vector<int32_t> targets;
  for (int64_t i = 0; i < rows; ++i) {
    targets.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(words))));
  }
  return targets;
}

TEST(CrossEntropy, OfEqualLogitsIsTheLogarithmOfTheVocabulary) {
  const Tensor logits = Tensor::zeros({1, 8}, DType::kF32);
  Tensor none;
  const CrossEntropySums sums = cross_entropy(logits, std::vector<int32_t>{3}, 0.1f, none);
  EXPECT_NEAR(sums.plain, std::log(8.0), 1e-6);
  EXPECT_NEAR(sums.smoothed, std::log(8.0), 1e-6);
}

TEST(CrossEntropy, EqualsItsFormulaInFloat64) {
  uint64_t seed = 1;
  for (const Shape& shape : {Shape{0, 5}, Shape{1, 1}, Shape{3, 2}, Shape{9, 37}, Shape{5, 1003}}) {
    for (const float smoothing : {0.0f, 0.1f}) {
      for (const DType type : kBothTypes) {
        const Tensor logits = random_tensor(shape, DType::kF32, ++seed, 4);
        const std::vector<int32_t> targets = random_targets(shape[0], shape[1], ++seed);
        const double other =
            shape[1] > 1 ? static_cast<double>(smoothing) / static_cast<double>(shape[1] - 1) : 0;
        const double own = shape[1] > 1 ? 1 - static_cast<double>(smoothing) : 1;
        double plain = 0, smoothed = 0;
        std::vector<double> gradient;
        for (int64_t r = 0; r < shape[0]; ++r) {
          const std::vector<double> row = row_of(logits, r);
          const double log_sum = log_sum_exp(row);
          for (size_t w = 0; w < row.size(); ++w) {
            const bool is_target = static_cast<int32_t>(w) == targets[static_cast<size_t>(r)];
            const double q = is_target ? own : other;
            smoothed += q * (log_sum - row[w]);
            if (is_target) plain += log_sum - row[w];
            gradient.push_back(std::exp(row[w] - log_sum) - q);
          }
        }
        Tensor d_logits = Tensor::zeros(shape, type);
        const CrossEntropySums sums = cross_entropy(logits, targets, smoothing, d_logits);
        EXPECT_NEAR(sums.plain, plain, 1e-5 * (1 + plain));
        EXPECT_NEAR(sums.smoothed, smoothed, 1e-5 * (1 + smoothed));
        expect_close(d_logits, gradient, 1e-2);
      }
    }
  }
}

TEST(CrossEntropy, MayWriteTheGradientOverTheLogits) {
  const Tensor logits = random_tensor({4, 50}, DType::kF32, 5);
  const std::vector<int32_t> targets = random_targets(4, 50, 6);
  Tensor apart = Tensor::zeros({4, 50}, DType::kF32), over = logits.copy();
  cross_entropy(logits, targets, 0.1f, apart);
  cross_entropy(over, targets, 0.1f, over);
  EXPECT_EQ(doubles(apart), doubles(over));
}

TEST(CrossEntropy, OfHugeLogitsStaysFinite) {
  const Tensor logits = Tensor::from<float>({1e4f, -1e4f, 0}, {1, 3});
  Tensor d_logits = Tensor::zeros({1, 3}, DType::kF32);
  EXPECT_NEAR(cross_entropy(logits, std::vector<int32_t>{1}, 0, d_logits).plain, 2e4, 1);
  expect_close(d_logits, {1, -1, 0});
}

TEST(CrossEntropy, ShowsANanWhereverItIs) {
  for (const float smoothing : {0.0f, 0.1f}) {
    Tensor logits = random_tensor({1, 100}, DType::kF32, 7), none;
    logits.data<float>()[37] = std::numeric_limits<float>::quiet_NaN();
    const auto sums = cross_entropy(logits, std::vector<int32_t>{3}, smoothing, none);
    EXPECT_TRUE(std::isnan(sums.smoothed));
  }
}

TEST(CrossEntropy, RefusesATargetOutsideTheVocabulary) {
  const Tensor logits = Tensor::zeros({1, 3}, DType::kF32);
  Tensor none;
  EXPECT_THROW(cross_entropy(logits, std::vector<int32_t>{3}, 0, none), ShapeError);
  EXPECT_THROW(cross_entropy(logits, std::vector<int32_t>{-1}, 0, none), ShapeError);
}

TEST(LogSoftmax, SubtractsTheLogarithmOfTheSumInPlaceToo) {
  Tensor logits = random_tensor({3, 21}, DType::kF32, 8, 3);
  std::vector<double> expected;
  for (int64_t r = 0; r < 3; ++r) {
    for (const double x : row_of(logits, r)) expected.push_back(x - log_sum_exp(row_of(logits, r)));
  }
  log_softmax(logits, logits);
  expect_close(logits, expected);
}

}  // namespace
}  // namespace skein::kernels
