// Scaled sums and the other small functions of convolutional models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/gradient_check.h"
#include "random_batches.h"
#include "skein/autograd/convolution.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kFactor = 0.7071067811865476;

Shape random_shape(uint64_t seed) {
  Random random(seed);
  const int64_t rows = random_between(random, 0, 6);
  return {rows, random_between(random, 1, 21)};
}

TEST(GatedSumGradient, AgreesWithCentralDifferencesForRandomShapes) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Shape shape = random_shape(seed);
    const CheckedFunction function{
        .inputs = {{"x", {shape[0], 2 * shape[1]}}, {"residual", shape}},
        .ours =
            [](Tape& tape, std::span<const Variable> v) {
              return std::vector{gated_sum(tape, v[0], v[1], kFactor)};
            },
        .twin =
            [](std::span<const plain::Matrix> v) {
              return std::vector{plain::scale(
                  kFactor, plain::add(plain::glu(kernels::Gate::kSigmoid, v[0]), v[1]))};
            }};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

TEST(GatedSumGradient, AgreesWithoutResidual) {
  const CheckedFunction function{
      .inputs = {{"x", {5, 14}}},
      .ours =
          [](Tape& tape, std::span<const Variable> v) {
            return std::vector{gated_sum(tape, v[0], Variable(), 1)};
          },
      .twin =
          [](std::span<const plain::Matrix> v) {
            return std::vector{plain::glu(kernels::Gate::kSigmoid, v[0])};
          }};
  EXPECT_THAT(disagreements(function, 1), IsEmpty());
}

TEST(ScaledSumGradient, AgreesWithCentralDifferencesForRandomShapes) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Shape shape = random_shape(seed);
    const CheckedFunction function{
        .inputs = {{"a", shape}, {"b", shape}},
        .ours =
            [](Tape& tape, std::span<const Variable> v) {
              return std::vector{scaled_sum(tape, v[0], v[1], kFactor)};
            },
        .twin =
            [](std::span<const plain::Matrix> v) {
              return std::vector{plain::scale(kFactor, plain::add(v[0], v[1]))};
            }};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

// (a + b) / 2 + a twice: one gradient for both, of which a's grows and b's may not.
TEST(ScaledSum, AGradientThatTwoVariablesShareIsNotChangedForBoth) {
  const Variable a(Tensor::from<float>({1, 3}, {1, 2}), true);
  const Variable b(Tensor::from<float>({5, 7}, {1, 2}), true);
  Tape tape({});
  const Variable half = scaled_sum(tape, a, b, 0.5);
  const Variable y = scaled_sum(tape, half, a, 2);
  EXPECT_THAT(y.value().values<float>(), ElementsAre(8, 16));
  tape.backward(y, Tensor::from<float>({1, 10}, {1, 2}));
  EXPECT_THAT(a.gradient()->tensor().values<float>(), ElementsAre(3, 30));
  EXPECT_THAT(b.gradient()->tensor().values<float>(), ElementsAre(1, 10));
}

TEST(ScaleRowsGradient, AgreesWithCentralDifferencesForRandomShapes) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Shape shape = random_shape(seed);
    Random random(seed);
    std::vector<float> factors;
    for (int64_t r = 0; r < shape[0]; ++r) factors.push_back(static_cast<float>(random.normal()));
    const CheckedFunction function{.inputs = {{"x", shape}},
                                   .ours =
                                       [factors](Tape& tape, std::span<const Variable> v) {
                                         return std::vector{scale_rows(tape, v[0], factors)};
                                       },
                                   .twin =
                                       [factors](std::span<const plain::Matrix> v) {
                                         plain::Matrix y = v[0];
                                         for (int64_t r = 0; r < y.rows; ++r) {
                                           for (int64_t c = 0; c < y.columns; ++c)
                                             y(r, c) *= double{factors[static_cast<size_t>(r)]};
                                         }
                                         return std::vector{y};
                                       }};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

TEST(ConcatenateColumnsGradient, AgreesWithCentralDifferencesForRandomShapes) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Shape shape = random_shape(seed);
    const int64_t other = 1 + static_cast<int64_t>(seed);
    const CheckedFunction function{
        .inputs = {{"a", shape}, {"b", {shape[0], other}}},
        .ours =
            [](Tape& tape, std::span<const Variable> v) {
              return std::vector{concatenate_columns(tape, v[0], v[1])};
            },
        .twin =
            [](std::span<const plain::Matrix> v) {
              plain::Matrix both(v[0].rows, v[0].columns + v[1].columns);
              for (int64_t r = 0; r < both.rows; ++r) {
                for (int64_t c = 0; c < both.columns; ++c) {
                  both(r, c) = c < v[0].columns ? v[0](r, c) : v[1](r, c - v[0].columns);
                }
              }
              return std::vector{both};
            }};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

// Its gradient is not its derivative: that is what it is for.
TEST(ScaleGradient, ChangesTheGradientAndNotTheValue) {
  const Variable x(Tensor::from<float>({1, 2}, {1, 2}), true);
  Tape tape({});
  const Variable y = scaled_sum(tape, scale_gradient(tape, x, 0.25), x, 1);
  EXPECT_THAT(y.value().values<float>(), ElementsAre(2, 4));
  tape.backward(y, Tensor::from<float>({4, 8}, {1, 2}));
  EXPECT_THAT(x.gradient()->tensor().values<float>(), ElementsAre(5, 10));
}

TEST(Residual, RefusesShapesThatDoNotFit) {
  Tape tape({});
  const auto zeros = [](Shape shape) { return Variable(Tensor::zeros(shape, DType::kF32)); };
  EXPECT_THROW(gated_sum(tape, zeros({2, 5}), Variable(), 1), ShapeError);
  EXPECT_THROW(gated_sum(tape, zeros({2, 6}), zeros({3, 2}), 1), ShapeError);
  EXPECT_THROW(scaled_sum(tape, zeros({2, 3}), zeros({3, 2}), 1), ShapeError);
  EXPECT_THROW(scale_rows(tape, zeros({2, 3}), std::vector<float>{1}), ShapeError);
  EXPECT_THROW(concatenate_columns(tape, zeros({2, 3}), zeros({3, 3})), ShapeError);
}

}  // namespace
}  // namespace skein
