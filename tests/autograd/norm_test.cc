#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/gradient_check.h"
#include "random_batches.h"
#include "skein/autograd/functions.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LayerNormGradient, AgreesWithCentralDifferencesForRandomShapes) {
  for (uint64_t seed = 0; seed < 15; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int64_t rows = random_between(random, 0, 5), width = random_between(random, 2, 19);
    const CheckedFunction function{
        .inputs = {{"x", {rows, width}}, {"gain", {width}, true}, {"bias", {width}, true}},
        .ours =
            [](Tape& tape, std::span<const Variable> v) {
              return std::vector{layer_norm(tape, v[0], {.gain = v[1], .bias = v[2]})};
            },
        .twin =
            [](std::span<const plain::Matrix> v) {
              return std::vector{plain::layer_norm(v[0], v[1], v[2])};
            }};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

// (1, 3): mean 2, variance 1; a width of 1 leaves the bias alone.
TEST(LayerNorm, NormalisesByHand) {
  Tape tape({.record = false});
  const auto vector = [](std::vector<float> values) {
    return Variable(Tensor::from<float>(values, {static_cast<int64_t>(values.size())}));
  };
  const NormParameters norm{.gain = vector({2, 10}), .bias = vector({5, 1}), .epsilon = 0};
  const Variable x(Tensor::from<float>({1, 3}, {1, 2}));
  EXPECT_THAT(layer_norm(tape, x, norm).value().values<float>(), ElementsAre(3, 11));
  const Variable single(Tensor::from<float>({7}, {1, 1}));
  EXPECT_THAT(
      layer_norm(tape, single, {.gain = vector({2}), .bias = vector({5})}).value().values<float>(),
      ElementsAre(5));
}

enum class Used { kSum, kNormalized, kBoth };

CheckedFunction checked_residual_norm(int64_t rows, int64_t width, double probability, Used used,
                                      uint64_t seed) {
  const auto chosen = [used](auto sum, auto normalized) {
    if (used == Used::kBoth) return std::vector{normalized, sum};
    return std::vector{used == Used::kSum ? sum : normalized};
  };
  return {.inputs = {{"x", {rows, width}},
                     {"residual", {rows, width}},
                     {"gain", {width}, true},
                     {"bias", {width}, true}},
          .ours =
              [=](Tape& tape, std::span<const Variable> v) {
                const ResidualNorm result =
                    residual_norm(tape, v[0], v[1], probability, {.gain = v[2], .bias = v[3]});
                return chosen(result.sum, result.normalized);
              },
          .twin =
              [=](std::span<const plain::Matrix> v) {
                Tape masks({.seed = seed});
                const plain::Matrix sum =
                    plain::add(plain::dropout(masks.next_dropout(probability), v[0]), v[1]);
                return chosen(sum, plain::layer_norm(sum, v[2], v[3]));
              },
          .tape_seed = seed};
}

class ResidualNormGradient : public testing::TestWithParam<std::tuple<double, Used>> {};

TEST_P(ResidualNormGradient, AgreesWithCentralDifferencesForRandomShapes) {
  const auto [probability, used] = GetParam();
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int64_t rows = random_between(random, 0, 5), width = random_between(random, 3, 19);
    EXPECT_THAT(disagreements(checked_residual_norm(rows, width, probability, used, seed), seed),
                IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(DropoutAndOutputs, ResidualNormGradient,
                         testing::Combine(testing::Values(0.0, 0.3),
                                          testing::Values(Used::kSum, Used::kNormalized,
                                                          Used::kBoth)));

TEST(ResidualNorm, AddsBothGradientsWhereResidualAndInputAreOne) {
  const CheckedFunction function{
      .inputs = {{"x", {3, 6}}, {"gain", {6}, true}, {"bias", {6}, true}},
      .ours =
          [](Tape& tape, std::span<const Variable> v) {
            return std::vector{
                residual_norm(tape, v[0], v[0], 0, {.gain = v[1], .bias = v[2]}).normalized};
          },
      .twin =
          [](std::span<const plain::Matrix> v) {
            return std::vector{plain::layer_norm(plain::add(v[0], v[0]), v[1], v[2])};
          }};
  EXPECT_THAT(disagreements(function, 1), IsEmpty());
}

// Normalises with (gain, bias), then once more with the same gain and another bias: the gain's
// gradient is there already when the first bias's has to begin.
TEST(LayerNorm, GradientsAddWhereOnlyTheGainIsUsedTwice) {
  const CheckedFunction function{
      .inputs = {{"x", {3, 6}}, {"gain", {6}, true}, {"bias", {6}, true}, {"other", {6}, true}},
      .ours =
          [](Tape& tape, std::span<const Variable> v) {
            const Variable once = layer_norm(tape, v[0], {.gain = v[1], .bias = v[2]});
            return std::vector{layer_norm(tape, once, {.gain = v[1], .bias = v[3]})};
          },
      .twin =
          [](std::span<const plain::Matrix> v) {
            return std::vector{plain::layer_norm(plain::layer_norm(v[0], v[1], v[2]), v[1], v[3])};
          }};
  EXPECT_THAT(disagreements(function, 1), IsEmpty());
}

TEST(ResidualNorm, RefusesWhatDoesNotFit) {
  const auto zeros = [](Shape shape) { return Variable(Tensor::zeros(shape, DType::kF32)); };
  Tape tape({});
  const NormParameters norm{.gain = zeros({4}), .bias = zeros({4})};
  EXPECT_THROW(layer_norm(tape, zeros({2, 5}), norm), ShapeError);
  EXPECT_THROW(residual_norm(tape, zeros({2, 4}), zeros({4, 2}), 0, norm), ShapeError);
}

}  // namespace
}  // namespace skein
