#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/gradient_check.h"
#include "random_batches.h"
#include "skein/autograd/functions.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using kernels::Activation;
using testing::ElementsAre;
using testing::IsEmpty;

CheckedFunction checked_linear(int64_t rows, int64_t in, int64_t out, Activation kind) {
  return {.inputs = {{"x", {rows, in}}, {"weight", {out, in}, true}, {"bias", {out}, true}},
          .ours =
              [kind](Tape& tape, std::span<const Variable> v) {
                return std::vector{linear(tape, v[0], v[1], v[2], kind)};
              },
          .twin =
              [kind](std::span<const plain::Matrix> v) {
                return std::vector{plain::activation(kind, plain::linear(v[0], v[1], v[2]))};
              }};
}

class LinearGradient : public testing::TestWithParam<Activation> {};

TEST_P(LinearGradient, AgreesWithCentralDifferencesForRandomShapes) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int64_t rows = random_between(random, 0, 7);
    const int64_t in = random_between(random, 1, 9), out = random_between(random, 1, 9);
    EXPECT_THAT(disagreements(checked_linear(rows, in, out, GetParam()), seed), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Activations, LinearGradient,
                         testing::Values(Activation::kNone, Activation::kRelu, Activation::kGelu,
                                         Activation::kSilu));

TEST(Linear, WorksWithoutBias) {
  EXPECT_THAT(disagreements({.inputs = {{"x", {3, 5}}, {"weight", {4, 5}, true}},
                             .ours =
                                 [](Tape& tape, std::span<const Variable> v) {
                                   return std::vector{linear(tape, v[0], v[1], Variable())};
                                 },
                             .twin =
                                 [](std::span<const plain::Matrix> v) {
                                   return std::vector{plain::linear(v[0], v[1])};
                                 }},
                            1),
              IsEmpty());
}

TEST(Linear, GradientsOfAWeightUsedTwiceAdd) {
  EXPECT_THAT(
      disagreements({.inputs = {{"x", {3, 4}}, {"weight", {4, 4}, true}, {"bias", {4}, true}},
                     .ours =
                         [](Tape& tape, std::span<const Variable> v) {
                           const Variable once = linear(tape, v[0], v[1], v[2]);
                           return std::vector{linear(tape, once, v[1], v[2])};
                         },
                     .twin =
                         [](std::span<const plain::Matrix> v) {
                           const plain::Matrix once = plain::linear(v[0], v[1], v[2]);
                           return std::vector{plain::linear(once, v[1], v[2])};
                         }},
                    2),
      IsEmpty());
}

// By hand: y = 2 x1 - x2 + 1 for x = (3, 4), with the gradient 10 arriving.
TEST(Linear, MultipliesAndDifferentiatesByHand) {
  const Variable x(Tensor::from<float>({3, 4}, {1, 2}), true);
  const Variable weight(Tensor::from<float>({2, -1}, {1, 2}), true);
  const Variable bias(Tensor::from<float>({1}, {1}), true);
  Tape tape({});
  const Variable y = linear(tape, x, weight, bias);
  EXPECT_THAT(y.value().values<float>(), ElementsAre(3));
  tape.backward(y, Tensor::from<float>({10}, {1, 1}));
  EXPECT_THAT(x.gradient()->tensor().values<float>(), ElementsAre(20, -10));
  EXPECT_THAT(weight.gradient()->tensor().values<float>(), ElementsAre(30, 40));
  EXPECT_THAT(bias.gradient()->tensor().values<float>(), ElementsAre(10));
}

TEST(Linear, RefusesWhatDoesNotFit) {
  Tape tape({});
  const Variable x(Tensor::zeros({2, 3}, DType::kF32));
  const Variable weight(Tensor::zeros({5, 4}, DType::kF32));
  EXPECT_THROW(linear(tape, x, weight, Variable()), ShapeError);
  const Variable fitting(Tensor::zeros({5, 3}, DType::kF32));
  const Variable short_bias(Tensor::zeros({4}, DType::kF32));
  EXPECT_THROW(linear(tape, x, fitting, short_bias), ShapeError);
  Tape half({.activations = DType::kBF16});
  EXPECT_THROW(linear(half, x, fitting, Variable()), ShapeError);
}

}  // namespace
}  // namespace skein
