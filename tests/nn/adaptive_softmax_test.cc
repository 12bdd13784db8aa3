// Adaptive softmax and input with their parameters.
#include "skein/nn/adaptive_softmax.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "error_of.h"
#include "nn/filled_store.h"
#include "random_batches.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::HasSubstr;

Tape inference(DType type = DType::kF32) {
  return Tape({.record = false, .training = false, .activations = type});
}

Tensor random_features(int64_t rows, int64_t columns, DType type = DType::kF32) {
  Random random(3);
  Tensor tensor = Tensor::uninitialized({rows, columns}, DType::kF32);
  for (float& value : tensor.values<float>()) value = static_cast<float>(random.normal());
  return tensor.converted(type);
}

TEST(BandWidth, FallsWithEveryBandUntilNothingIsLeft) {
  EXPECT_EQ(band_width(24, 4, 0), 24);
  EXPECT_EQ(band_width(24, 4, 1), 6);
  EXPECT_EQ(band_width(24, 4, 2), 1);
  EXPECT_THAT(error_of([] { band_width(24, 4, 3); }),
              HasSubstr("a width of 24 leaves nothing for band 4 of the words"));
}

// Bands of 10, 10 and 11 words, 24 features: a head of 12 rows and tails of 6 and 1 columns.
TEST(AdaptiveSoftmax, HasTheParametersOfThePaper) {
  ParameterStore store;
  const AdaptiveSoftmax softmax(store, "output",
                                {.bands = WordBands({10, 20, 31}), .features = 24});
  store.allocate({});
  EXPECT_EQ(store.find("output.head.weight").shape, Shape({12, 24}));
  EXPECT_EQ(store.find("output.bands.1.in.weight").shape, Shape({6, 24}));
  EXPECT_EQ(store.find("output.bands.1.out.weight").shape, Shape({10, 6}));
  EXPECT_EQ(store.find("output.bands.2.in.weight").shape, Shape({1, 24}));
  EXPECT_EQ(store.find("output.bands.2.out.weight").shape, Shape({11, 1}));
  EXPECT_EQ(store.parameters().size(), 5);
}

// Uniform values within ± b have the deviation b / sqrt 3, b = sqrt(6 / (in + out)) (Xavier);
// embeddings are normal with the deviation 1 / sqrt(width of the band).
TEST(AdaptiveSoftmax, StartsWithTheDeviationsOfTheReference) {
  ParameterStore store;
  const AdaptiveInput input(store, "in", {.bands = WordBands({300, 1000}), .width = 64});
  const AdaptiveSoftmax softmax(store, "out", {.bands = WordBands({300, 1000}), .features = 64});
  store.allocate({});
  store.initialize(3);
  const auto expect_deviation = [&](const char* name, double expected) {
    double sum = 0;
    const auto values = store.find(name).variable.value().values<float>();
    for (const float value : values) sum += double{value} * double{value};
    EXPECT_NEAR(std::sqrt(sum / static_cast<double>(values.size())), expected, 0.04 * expected)
        << name;
  };
  expect_deviation("in.bands.0.embedding.weight", 1.0 / 8);
  expect_deviation("in.bands.1.embedding.weight", 1.0 / 4);
  expect_deviation("in.bands.1.projection.weight", std::sqrt(2.0 / (16 + 64)));
  expect_deviation("out.head.weight", std::sqrt(2.0 / (64 + 301)));
  expect_deviation("out.bands.1.in.weight", std::sqrt(2.0 / (64 + 16)));
  expect_deviation("out.bands.1.out.weight", std::sqrt(2.0 / (16 + 700)));
}

class Frozen : public testing::TestWithParam<DType> {};

// What is put together of an input's parameters once, or at every call, is the same.
TEST_P(Frozen, ParametersChangeNoResult) {
  ParameterStore store;
  const AdaptiveInput input(store, "in", {.bands = WordBands({7, 20, 33}), .width = 32});
  const AdaptiveSoftmax tied(store, "tied", input, 0);
  const AdaptiveSoftmax own(store, "own", {.bands = WordBands({7, 20, 33}), .features = 32});
  fill_parameters(store, 1, 0.3);
  Tape tape = inference(GetParam());
  const Tensor x = random_features(9, 32, GetParam());
  const auto all_of = [&](const AdaptiveSoftmax& softmax) {
    const Tensor all = adaptive_log_probabilities(x, *softmax.weights(tape));
    return std::vector<float>(all.values<float>().begin(), all.values<float>().end());
  };
  const std::vector<float> tied_before = all_of(tied), own_before = all_of(own);
  store.freeze();
  EXPECT_THAT(all_of(tied), testing::Pointwise(testing::FloatNear(2e-5F), tied_before));
  EXPECT_THAT(all_of(own), testing::Pointwise(testing::FloatNear(2e-5F), own_before));
  EXPECT_EQ(tied.weights(tape), tied.weights(tape));
}

INSTANTIATE_TEST_SUITE_P(Types, Frozen, testing::Values(DType::kF32, DType::kBF16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// Two precisions of one frozen softmax: what is kept for one may not be given to the other.
TEST(AdaptiveSoftmax, WorksInBothPrecisionsWhenFrozen) {
  ParameterStore store;
  const AdaptiveInput input(store, "in", {.bands = WordBands({7, 20}), .width = 32});
  const AdaptiveSoftmax softmax(store, "out", input, 0);
  fill_parameters(store, 1, 0.3);
  store.freeze();
  for (const DType type : {DType::kF32, DType::kBF16, DType::kF32}) {
    Tape tape = inference(type);
    const Tensor all =
        adaptive_log_probabilities(random_features(2, 32, type), *softmax.weights(tape));
    double sum = 0;
    for (const float value : all.values<float>()) sum += std::exp(double{value});
    EXPECT_NEAR(sum, 2, 1e-4);
  }
}

// By hand: words 0 and 1 in a band of width 2, words 2 and 3 in one of width 1, scale 10.
TEST(AdaptiveInput, EmbedsWordsOfEveryBandByHand) {
  ParameterStore store;
  const AdaptiveInput input(store, "in", {.bands = WordBands({2, 4}), .width = 2, .factor = 2});
  store.allocate({});
  const auto set = [&](const char* name, const std::vector<float>& values) {
    Tensor tensor = store.find(name).variable.value();
    std::ranges::copy(values, tensor.data<float>());
  };
  set("in.bands.0.embedding.weight", {1, 2, 3, 4});
  set("in.bands.0.projection.weight", {1, 0, 1, 1});  // (x, x + y)
  set("in.bands.1.embedding.weight", {5, 6});
  set("in.bands.1.projection.weight", {1, -1});
  Tape tape = inference();
  const Variable embedded = input(tape, std::vector<int32_t>{3, 0, 1, 2, 0}, 10);
  EXPECT_THAT(embedded.value().values<float>(),
              testing::ElementsAre(60, -60, 10, 30, 30, 70, 50, -50, 10, 30));
  EXPECT_THROW(input(tape, std::vector<int32_t>{4}, 1), ShapeError);
}

}  // namespace
}  // namespace skein
