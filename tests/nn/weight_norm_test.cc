// Maps with normalised weights, whole and step by step, and what folding them gives.
#include "skein/nn/weight_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nn/filled_store.h"
#include "random_batches.h"

namespace skein {
namespace {

using testing::ElementsAre;

Tape inference(DType type = DType::kF32) {
  return Tape({.record = false, .training = false, .activations = type});
}

Tensor random_rows(int64_t rows, int64_t columns, uint64_t seed, DType type = DType::kF32) {
  Random random(seed);
  Tensor tensor = Tensor::uninitialized({rows, columns}, DType::kF32);
  for (float& value : tensor.values<float>()) value = static_cast<float>(random.normal());
  return tensor.converted(type);
}

std::vector<float> floats(const Tensor& tensor) {
  const Tensor wide = tensor.converted(DType::kF32);
  return {wide.values<float>().begin(), wide.values<float>().end()};
}

class Folding : public testing::TestWithParam<DType> {};

// A folded map, one of frozen parameters and one that normalises at every call are the same map.
TEST_P(Folding, ChangesNoResult) {
  ParameterStore store;
  const NormedLinear layer(store, "layer", {.inputs = 70, .outputs = 33});
  fill_parameters(store, 1, 0.4);
  const Variable x(random_rows(9, 70, 2, GetParam()));
  Tape tape = inference(GetParam());
  const std::vector<float> expected = floats(layer(tape, x).value());
  const auto expect_same = [&](const Variable& y) {
    EXPECT_THAT(floats(y.value()), testing::Pointwise(testing::FloatNear(1e-5F), expected));
  };
  expect_same(layer.folded(tape)(tape, x));
  store.freeze();
  expect_same(layer(tape, x));
  expect_same(layer.folded(tape)(tape, x));
}

INSTANTIATE_TEST_SUITE_P(Types, Folding, testing::Values(DType::kF32, DType::kBF16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// Two precisions of one frozen map: what is kept for one may not be given to the other.
TEST(NormedLinear, WorksInBothPrecisionsWhenFrozen) {
  ParameterStore store;
  const NormedLinear layer(store, "layer", {.inputs = 8, .outputs = 4});
  fill_parameters(store, 1, 0.4);
  store.freeze();
  Tape wide = inference(), narrow = inference(DType::kBF16);
  const Tensor x = random_rows(3, 8, 2);
  const std::vector<float> expected = floats(layer(wide, Variable(x)).value());
  const Variable half(x.converted(DType::kBF16));
  EXPECT_EQ(layer(narrow, half).value().type(), DType::kBF16);
  EXPECT_EQ(floats(layer(wide, Variable(x)).value()), expected);
}

// Training goes on after decoding: what was folded for decoding may not be kept.
TEST(NormedLinear, FollowsParametersThatChange) {
  ParameterStore store;
  const NormedLinear layer(store, "layer", {.inputs = 2, .outputs = 1});
  store.allocate({});
  store.initialize(1);
  const Variable x(Tensor::from<float>({1, 0}, {1, 2}));
  Tape tape = inference();
  Tensor direction = store.find("layer.weight_v").variable.value();
  Tensor length = store.find("layer.weight_g").variable.value();
  direction.values<float>()[0] = 3;
  direction.values<float>()[1] = 4;
  length.values<float>()[0] = 10;
  EXPECT_THAT(layer(tape, x).value().values<float>(), ElementsAre(6));
  EXPECT_THAT(layer.folded(tape)(tape, x).value().values<float>(), ElementsAre(6));
  length.values<float>()[0] = 5;
  EXPECT_THAT(layer(tape, x).value().values<float>(), ElementsAre(3));
  EXPECT_THAT(layer.folded(tape)(tape, x).value().values<float>(), ElementsAre(3));
}

TEST(InputWindow, HoldsTheLastInputsOfEveryRowByHand) {
  InputWindow window(3);
  const auto push = [&](std::vector<float> values) {
    const auto rows = static_cast<int64_t>(values.size());
    return floats(window.push(Tensor::from(values, {rows, 1}), 1));
  };
  EXPECT_THAT(push({1, 5}), ElementsAre(0, 0, 1, 0, 0, 5));
  EXPECT_THAT(push({2, 6}), ElementsAre(0, 1, 2, 0, 5, 6));
  window.select(std::vector<int32_t>{1, 0, 1});
  EXPECT_THAT(push({7, 3, 8}), ElementsAre(5, 6, 7, 1, 2, 3, 5, 6, 8));
  window.select(std::vector<int32_t>{2, 0});
  // Three inputs of each of two rows at once.
  EXPECT_THAT(floats(window.push(Tensor::from<float>({1, 2, 3, 4, 5, 6}, {6, 1}), 3)),
              ElementsAre(6, 8, 1, 8, 1, 2, 1, 2, 3, 6, 7, 4, 7, 4, 5, 4, 5, 6));
  EXPECT_THAT(push({9, 9}), ElementsAre(2, 3, 9, 5, 6, 9));
  window.select(std::vector<int32_t>{});
  EXPECT_THAT(push({}), ElementsAre());
}

class ConvolutionSteps : public testing::TestWithParam<int64_t> {};

TEST_P(ConvolutionSteps, EqualTheWholeSentence) {
  ParameterStore store;
  const NormedConvolution layer(
      store, "layer",
      {.inputs = 5, .outputs = 6, .width = GetParam(), .sight = NormedConvolution::Sight::kCausal});
  fill_parameters(store, 1, 0.4);
  const Tensor x = random_rows(8, 5, 3);
  Tape tape = inference();
  const std::vector<int32_t> offsets = {0, 8};
  const std::vector<float> whole = floats(layer(tape, Variable(x), offsets).value());
  InputWindow window(GetParam());
  std::vector<float> steps;
  for (int64_t t = 0; t < 8; ++t) {
    const std::vector<float> row =
        floats(layer.step(tape, Variable(x.slice(t, t + 1)), 1, window).value());
    steps.insert(steps.end(), row.begin(), row.end());
  }
  EXPECT_THAT(steps, testing::Pointwise(testing::FloatNear(1e-5F), whole));
}

INSTANTIATE_TEST_SUITE_P(Widths, ConvolutionSteps, testing::Values(1, 2, 3, 6, 11));

// Even windows look one token further ahead than back: tap t is 10^t.
TEST(NormedConvolution, OfEvenWidthLooksAheadByHand) {
  ParameterStore store;
  const NormedConvolution layer(store, "layer", {.inputs = 1, .outputs = 1, .width = 4});
  store.allocate({});
  Tensor taps = store.find("layer.weight_v").variable.value();
  std::ranges::copy(std::vector<float>{1, 10, 100, 1000}, taps.data<float>());
  Tensor length = store.find("layer.weight_g").variable.value();
  length.data<float>()[0] = std::sqrt(1010101.0F);
  Tape tape = inference();
  const Variable x(Tensor::from<float>({1, 2, 3, 4}, {4, 1}));
  const std::vector<int32_t> offsets = {0, 4};
  EXPECT_THAT(floats(layer(tape, x, offsets).value()),
              testing::Pointwise(testing::FloatNear(0.01F), {3210, 4321, 432, 43}));
}

}  // namespace
}  // namespace skein
