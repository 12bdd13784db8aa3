// Functions of one element: activations, gates, dropout, sums.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/gradient_check.h"
#include "random_batches.h"
#include "skein/autograd/functions.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using kernels::Activation;
using kernels::Gate;
using testing::ElementsAre;
using testing::IsEmpty;

Shape random_shape(uint64_t seed) {
  Random random(seed);
  const int64_t rows = random_between(random, 0, 6);
  return {rows, random_between(random, 1, 11)};
}

class ActivationGradient : public testing::TestWithParam<Activation> {};

TEST_P(ActivationGradient, AgreesWithCentralDifferencesForRandomShapes) {
  const Activation kind = GetParam();
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const CheckedFunction function{.inputs = {{"x", random_shape(seed)}},
                                   .ours =
                                       [kind](Tape& tape, std::span<const Variable> v) {
                                         return std::vector{activation(tape, kind, v[0])};
                                       },
                                   .twin =
                                       [kind](std::span<const plain::Matrix> v) {
                                         return std::vector{plain::activation(kind, v[0])};
                                       }};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Activations, ActivationGradient,
                         testing::Values(Activation::kNone, Activation::kRelu, Activation::kGelu,
                                         Activation::kSilu));

class GateGradient : public testing::TestWithParam<Gate> {};

TEST_P(GateGradient, AgreesWithCentralDifferencesForRandomShapes) {
  const Gate gate = GetParam();
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Shape shape = random_shape(seed);
    const CheckedFunction function{
        .inputs = {{"x", {shape[0], 2 * shape[1]}}},
        .ours = [gate](Tape& tape,
                       std::span<const Variable> v) { return std::vector{glu(tape, gate, v[0])}; },
        .twin =
            [gate](std::span<const plain::Matrix> v) {
              return std::vector{plain::glu(gate, v[0])};
            }};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Gates, GateGradient,
                         testing::Values(Gate::kSigmoid, Gate::kGelu, Gate::kSilu));

TEST(Glu, RefusesAnOddNumberOfColumns) {
  Tape tape({});
  EXPECT_THROW(glu(tape, Gate::kSigmoid, Variable(Tensor::zeros({2, 5}, DType::kF32))), ShapeError);
}

TEST(DropoutGradient, AgreesWithCentralDifferencesUnderTheSameMask) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const CheckedFunction function{
        .inputs = {{"x", random_shape(seed)}},
        .ours = [](Tape& tape,
                   std::span<const Variable> v) { return std::vector{dropout(tape, 0.4, v[0])}; },
        .twin =
            [seed](std::span<const plain::Matrix> v) {
              Tape masks({.seed = seed});
              return std::vector{plain::dropout(masks.next_dropout(0.4), v[0])};
            },
        .tape_seed = seed};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

TEST(Dropout, IsTheInputItselfOutsideTraining) {
  Tape tape({.training = false});
  const Variable x(Tensor::from<float>({1, 2}, {1, 2}), true);
  EXPECT_EQ(dropout(tape, 0.5, x).gradient(), x.gradient());
}

TEST(Dropout, DrawsAFreshMaskAtEveryCallAndTheSameOnesForTheSameSeed) {
  Tape first({.seed = 3}), second({.seed = 3}), other({.seed = 4});
  const uint64_t a = first.next_dropout(0.1).seed, b = first.next_dropout(0.1).seed;
  EXPECT_NE(a, b);
  EXPECT_EQ(second.next_dropout(0.1).seed, a);
  EXPECT_EQ(second.next_dropout(0.1).seed, b);
  EXPECT_NE(other.next_dropout(0.1).seed, a);
}

TEST(AddGradient, AgreesWithCentralDifferencesForRandomShapes) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Shape shape = random_shape(seed);
    const CheckedFunction function{
        .inputs = {{"a", shape}, {"b", shape}},
        .ours = [](Tape& tape,
                   std::span<const Variable> v) { return std::vector{add(tape, v[0], v[1])}; },
        .twin =
            [](std::span<const plain::Matrix> v) { return std::vector{plain::add(v[0], v[1])}; }};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

TEST(Add, RefusesShapesThatDifferEvenWithTheSameNumberOfElements) {
  Tape tape({});
  const Variable a(Tensor::zeros({2, 3}, DType::kF32)), b(Tensor::zeros({3, 2}, DType::kF32));
  EXPECT_THROW(add(tape, a, b), ShapeError);
}

// z = (x + y) + gelu(x + y) + x: the sum hands one gradient to x and to y, and x gets a second one,
// which must not reach y.
TEST(Add, AGradientThatTwoVariablesShareIsNotChangedForBoth) {
  const CheckedFunction function{
      .inputs = {{"x", {3, 4}}, {"y", {3, 4}}},
      .ours =
          [](Tape& tape, std::span<const Variable> v) {
            const Variable sum = add(tape, v[0], v[1]);
            const Variable both = add(tape, sum, activation(tape, Activation::kGelu, sum));
            return std::vector{add(tape, both, v[0])};
          },
      .twin =
          [](std::span<const plain::Matrix> v) {
            const plain::Matrix sum = plain::add(v[0], v[1]);
            const plain::Matrix both = plain::add(sum, plain::activation(Activation::kGelu, sum));
            return std::vector{plain::add(both, v[0])};
          }};
  EXPECT_THAT(disagreements(function, 1), IsEmpty());
}

TEST(Add, DoublesAVariableAddedToItself) {
  const Variable x(Tensor::from<float>({1, -2}, {1, 2}), true);
  Tape tape({});
  const Variable y = add(tape, x, x);
  tape.backward(y, Tensor::from<float>({5, 7}, {1, 2}));
  EXPECT_THAT(x.gradient()->tensor().values<float>(), ElementsAre(10, 14));
}

}  // namespace
}  // namespace skein
