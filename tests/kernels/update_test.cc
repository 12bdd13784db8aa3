#include "skein/kernels/update.h"

#include <gtest/gtest.h>

#include "kernels/reference.h"
#include "skein/base/error.h"

namespace skein::kernels {
namespace {

// Lengths that are no multiple of a vector, and enough for several threads.
const int64_t kLengths[] = {0, 1, 19, 40001};

void expect_half_of(const Tensor& half, const Tensor& values) {
  const Tensor rounded = values.converted(DType::kBF16);
  EXPECT_EQ(doubles(half), doubles(rounded));
}

TEST(Adam, FirstStepMovesByTheLearningRate) {  // Kingma & Ba 2015, section 2.1
  const Tensor gradient = Tensor::from<float>({3, -0.5f}, {2});
  Tensor values = Tensor::from<float>({1, 1}, {2}), none;
  Tensor mean = Tensor::zeros({2}, DType::kF32), variance = Tensor::zeros({2}, DType::kF32);
  adam({.lr = 0.1}, gradient, values, mean, variance, none);
  EXPECT_NEAR(values.data<float>()[0], 0.9, 1e-6);
  EXPECT_NEAR(values.data<float>()[1], 1.1, 1e-6);
  EXPECT_NEAR(mean.data<float>()[0], 0.3, 1e-6);
  EXPECT_NEAR(variance.data<float>()[0], 0.009, 1e-7);
}

TEST(Adam, EqualsItsFormulaInFloat64) {
  uint64_t seed = 1;
  for (const int64_t length : kLengths) {
    for (const bool corrected : {false, true}) {
      const AdamStep step = {.lr = 0.01,
                             .beta2 = 0.98,
                             .epsilon = 1e-3,
                             .weight_decay = 0.1,
                             .gradient_scale = 0.5,
                             .step = 7,
                             .corrected_epsilon = corrected};
      const Tensor gradient = random_tensor({length}, DType::kF32, ++seed);
      Tensor values = random_tensor({length}, DType::kF32, ++seed);
      Tensor mean = random_tensor({length}, DType::kF32, ++seed);
      Tensor variance = random_tensor({length}, DType::kF32, ++seed);
      for (float& v : variance.values<float>()) v *= v;
      Tensor half = Tensor::zeros({length}, DType::kBF16);
      std::vector<double> v = doubles(values), m = doubles(mean), s = doubles(variance);
      const std::vector<double> gradients = doubles(gradient);
      const double root = std::sqrt(1 - std::pow(0.98, 7)), rate = 0.01 / (1 - std::pow(0.9, 7));
      for (size_t i = 0; i < v.size(); ++i) {
        const double g = 0.5 * gradients[i];
        m[i] = 0.9 * m[i] + 0.1 * g;
        s[i] = 0.98 * s[i] + 0.02 * g * g;
        v[i] -= 0.1 * 0.01 * v[i];
        v[i] -= corrected ? rate * m[i] / (std::sqrt(s[i]) / root + 1e-3)
                          : rate * root * m[i] / (std::sqrt(s[i]) + 1e-3);
      }
      adam(step, gradient, values, mean, variance, half);
      expect_close(mean, m);
      expect_close(variance, s);
      expect_close(values, v);
      expect_half_of(half, values);
    }
  }
}

TEST(Nag, EqualsItsFormulaInFloat64) {
  uint64_t seed = 30;
  for (const int64_t length : kLengths) {
    for (const double previous : {0.0, 0.2}) {
      const Tensor gradient = random_tensor({length}, DType::kF32, ++seed);
      Tensor values = random_tensor({length}, DType::kF32, ++seed);
      Tensor buffer = random_tensor({length}, DType::kF32, ++seed);
      Tensor half = Tensor::zeros({length}, DType::kBF16);
      std::vector<double> v = doubles(values), b = doubles(buffer), g = doubles(gradient);
      const double c = previous == 0 ? 0.1 : 0.1 / previous, m = 0.9;
      for (size_t i = 0; i < v.size(); ++i) {
        v[i] = v[i] * (1 - 0.1 * 0.05) + m * m * c * b[i] - (1 + m) * 0.1 * 2 * g[i];
        b[i] = m * c * b[i] - 0.1 * 2 * g[i];
      }
      nag({.lr = 0.1,
           .previous_lr = previous,
           .momentum = 0.9,
           .weight_decay = 0.05,
           .gradient_scale = 2},
          gradient, values, buffer, half);
      expect_close(values, v);
      expect_close(buffer, b);
      expect_half_of(half, values);
    }
  }
}

TEST(Sgd, EqualsItsFormulaInFloat64WithAndWithoutMomentum) {
  uint64_t seed = 60;
  for (const int64_t length : kLengths) {
    for (const bool momentum : {false, true}) {
      const Tensor gradient = random_tensor({length}, DType::kF32, ++seed);
      Tensor values = random_tensor({length}, DType::kF32, ++seed), none;
      Tensor buffer = momentum ? random_tensor({length}, DType::kF32, ++seed) : Tensor();
      const std::vector<double> gradients = doubles(gradient);
      std::vector<double> v = doubles(values), b = momentum ? doubles(buffer) : v;
      for (size_t i = 0; i < v.size(); ++i) {
        const double g = gradients[i] + 0.01 * v[i];
        b[i] = momentum ? 0.9 * b[i] + g : g;
        v[i] -= 0.1 * b[i];
      }
      sgd({.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01}, gradient, values, buffer, none);
      expect_close(values, v);
      if (momentum) expect_close(buffer, b);
    }
  }
}

TEST(MovingAverage, GoesTheRestOfTheWay) {
  const Tensor values = Tensor::from<float>({2, 4, 6}, {3});
  Tensor average = Tensor::from<float>({0, 0, 2}, {3});
  moving_average(0.75, values, average);
  expect_close(average, {0.5, 1, 3});
}

TEST(Updates, RefuseBuffersOfAnotherLength) {
  Tensor values = Tensor::zeros({3}, DType::kF32), short_one = Tensor::zeros({2}, DType::kF32);
  Tensor none;
  EXPECT_THROW(sgd({}, short_one, values, none, none), ShapeError);
  EXPECT_THROW(adam({}, values, values, values, short_one, none), ShapeError);
}

}  // namespace
}  // namespace skein::kernels
