#include "skein/kernels/norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/reference.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"

namespace skein::kernels {
namespace {

const Shape kShapes[] = {{0, 8}, {1, 1}, {3, 33}, {300, 64}};

struct Plain {
  std::vector<double> sum, y, mean, inverse;
};

Plain plain_norm(const std::vector<double>& sum, int64_t columns, const Tensor& gain,
                 const Tensor& bias, double epsilon) {
  Plain p{.sum = sum, .y = sum, .mean = {}, .inverse = {}};
  const auto c = static_cast<size_t>(columns);
  const std::vector<double> gains = doubles(gain), biases = doubles(bias);
  for (size_t r = 0; r < sum.size() / c; ++r) {
    double mean = 0, variance = 0;
    for (size_t i = r * c; i < (r + 1) * c; ++i) mean += sum[i] / static_cast<double>(c);
    for (size_t i = r * c; i < (r + 1) * c; ++i) {
      variance += (sum[i] - mean) * (sum[i] - mean) / static_cast<double>(c);
    }
    const double inverse = 1 / std::sqrt(variance + epsilon);
    for (size_t i = 0; i < c; ++i) {
      p.y[r * c + i] = (sum[r * c + i] - mean) * inverse * gains[i] + biases[i];
    }
    p.mean.push_back(mean);
    p.inverse.push_back(inverse);
  }
  return p;
}

std::vector<double> masked(const Tensor& x, const Dropout& mask) {
  std::vector<double> values = doubles(x);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] *= static_cast<double>(dropout_factor(mask, i));
  }
  return values;
}

TEST(LayerNorm, OfOneToFourByHand) {  // mean 2.5, variance 1.25
  const Tensor x = Tensor::from<float>({1, 2, 3, 4}, {1, 4});
  const Tensor gain = Tensor::from<float>({1, 1, 1, 2}, {4}),
               bias = Tensor::zeros({4}, DType::kF32);
  Tensor none, y = Tensor::zeros({1, 4}, DType::kF32);
  NormStatistics statistics;
  layer_norm({.x = x,
              .residual = none,
              .gain = gain,
              .bias = bias,
              .epsilon = 0,
              .sum = none,
              .y = y,
              .statistics = statistics});
  expect_close(y, {-1.3416408, -0.4472136, 0.4472136, 2.6832816});
  EXPECT_FLOAT_EQ(statistics.mean.data<float>()[0], 2.5f);
}

TEST(LayerNorm, EqualsItsFormulaWithResidualAndDropout) {
  uint64_t seed = 1;
  for (const Shape& shape : kShapes) {
    for (const DType type : kBothTypes) {
      for (const float p : {0.0f, 0.3f}) {
        const Tensor x = random_tensor(shape, type, ++seed);
        const Tensor residual = random_tensor(shape, type, ++seed);
        const Tensor gain = random_tensor({shape[1]}, DType::kF32, ++seed);
        const Tensor bias = random_tensor({shape[1]}, DType::kF32, ++seed);
        Tensor sum = Tensor::zeros(shape, type), y = Tensor::zeros(shape, type);
        NormStatistics statistics;
        const Dropout mask = {.probability = p, .seed = seed};
        layer_norm({.x = x,
                    .residual = residual,
                    .gain = gain,
                    .bias = bias,
                    .epsilon = 0.01f,
                    .dropout = mask,
                    .sum = sum,
                    .y = y,
                    .statistics = statistics});
        std::vector<double> expected = masked(x, mask);
        const std::vector<double> residuals = doubles(residual);
        for (size_t i = 0; i < expected.size(); ++i) expected[i] += residuals[i];
        expect_close(sum, expected);
        const Plain plain = plain_norm(doubles(sum), shape[1], gain, bias, 0.01);
        expect_close(y, plain.y);
        expect_close(statistics.mean, plain.mean);
        expect_close(statistics.inverse_std, plain.inverse, 5);
      }
    }
  }
}

// d_sum = inverse (g - mean(g) - normal mean(g normal)), g = dy gain.
std::vector<double> plain_gradient(const Plain& forward, int64_t columns, const Tensor& gain,
                                   const Tensor& dy) {
  const auto c = static_cast<size_t>(columns);
  const std::vector<double> gains = doubles(gain), d = doubles(dy);
  std::vector<double> result(d.size());
  for (size_t r = 0; r < forward.mean.size(); ++r) {
    double mean = 0, mean_normal = 0;
    const auto normal = [&](size_t i) {
      return (forward.sum[r * c + i] - forward.mean[r]) * forward.inverse[r];
    };
    for (size_t i = 0; i < c; ++i) {
      mean += d[r * c + i] * gains[i] / static_cast<double>(c);
      mean_normal += d[r * c + i] * gains[i] * normal(i) / static_cast<double>(c);
    }
    for (size_t i = 0; i < c; ++i) {
      result[r * c + i] =
          forward.inverse[r] * (d[r * c + i] * gains[i] - mean - normal(i) * mean_normal);
    }
  }
  return result;
}

TEST(LayerNorm, GradientEqualsItsFormulaInFloat64) {
  uint64_t seed = 100;
  for (const Shape& shape : kShapes) {
    for (const DType type : kBothTypes) {
      const auto c = static_cast<size_t>(shape[1]);
      const Tensor sum = random_tensor(shape, type, ++seed),
                   dy = random_tensor(shape, type, ++seed);
      const Tensor extra = random_tensor(shape, type, ++seed);
      const Tensor gain = random_tensor({shape[1]}, DType::kF32, ++seed);
      const Tensor bias = Tensor::zeros({shape[1]}, DType::kF32);
      Tensor none, y = Tensor::zeros(shape, type), x = sum;
      NormStatistics statistics;
      layer_norm({.x = x,
                  .residual = none,
                  .gain = gain,
                  .bias = bias,
                  .epsilon = 0.01f,
                  .sum = none,
                  .y = y,
                  .statistics = statistics});
      Tensor d_sum = Tensor::zeros(shape, type), d_x = Tensor::zeros(shape, type);
      Tensor d_gain = random_tensor({shape[1]}, DType::kF32, ++seed), d_bias = d_gain.copy();
      Tensor d_x_bias = d_gain.copy();
      const std::vector<double> before = doubles(d_gain);
      const Dropout mask = {.probability = 0.2f, .seed = 9};
      layer_norm_gradient({.sum = sum,
                           .gain = gain,
                           .statistics = statistics,
                           .dy = dy,
                           .d_sum_extra = extra,
                           .dropout = mask,
                           .d_sum = d_sum,
                           .d_x = d_x,
                           .d_gain = d_gain,
                           .d_bias = d_bias,
                           .accumulate = true,
                           .d_x_bias = &d_x_bias});
      const Plain forward = plain_norm(doubles(sum), shape[1], gain, bias, 0.01);
      std::vector<double> expected = plain_gradient(forward, shape[1], gain, dy);
      const std::vector<double> others = doubles(extra), d = doubles(dy);
      std::vector<double> gains = before, biases = before, columns = before, kept = expected;
      for (size_t i = 0; i < expected.size(); ++i) {
        expected[i] += others[i];
        kept[i] = expected[i] * static_cast<double>(dropout_factor(mask, i));
        columns[i % c] += kept[i];
        biases[i % c] += d[i];
        gains[i % c] += d[i] * (forward.sum[i] - forward.mean[i / c]) * forward.inverse[i / c];
      }
      expect_close(d_sum, expected, 3);
      expect_close(d_x, kept, 3);
      expect_close(d_gain, gains, 30);
      expect_close(d_bias, biases, 30);
      expect_close(d_x_bias, columns, 30);
    }
  }
}

TEST(LayerNorm, GradientIsTheSameToTheBitForAnyNumberOfThreads) {
  const Tensor sum = random_tensor({700, 48}, DType::kF32, 1), dy = sum;
  const Tensor gain = random_tensor({48}, DType::kF32, 2);
  NormStatistics statistics = {random_tensor({700}, DType::kF32, 3),
                               random_tensor({700}, DType::kF32, 4)};
  const int before = threads();
  std::vector<std::vector<double>> results;
  for (const int count : {1, 3}) {
    set_threads(count);
    Tensor none, d_sum = Tensor::zeros({700, 48}, DType::kF32);
    Tensor d_gain = Tensor::zeros({48}, DType::kF32), d_bias = d_gain.copy();
    layer_norm_gradient({.sum = sum,
                         .gain = gain,
                         .statistics = statistics,
                         .dy = dy,
                         .d_sum_extra = none,
                         .d_sum = d_sum,
                         .d_x = none,
                         .d_gain = d_gain,
                         .d_bias = d_bias});
    results.push_back(doubles(d_gain));
  }
  set_threads(before);
  EXPECT_EQ(results[0], results[1]);
}

TEST(LayerNorm, WithDropoutNeedsAPlaceForTheSum) {
  const Tensor x = Tensor::zeros({2, 3}, DType::kF32), gain = Tensor::zeros({3}, DType::kF32);
  Tensor none, y = x.copy();
  NormStatistics statistics;
  EXPECT_THROW(layer_norm({.x = x,
                           .residual = none,
                           .gain = gain,
                           .bias = gain,
                           .dropout = {.probability = 0.1f},
                           .sum = none,
                           .y = y,
                           .statistics = statistics}),
               ShapeError);
}

}  // namespace
}  // namespace skein::kernels
