// Convolutions whose weights are shared by heads of channels: the same for all tokens, or of each.
#include "skein/autograd/light_convolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/gradient_check.h"
#include "plain_light_convolution.h"
#include "random_batches.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::IsEmpty;

constexpr uint64_t kTapeSeed = 3;

struct Extents {
  std::vector<int32_t> offsets;
  int64_t columns = 1, width = 1, left = 0;
  LightConvolutionOptions options;
};

Extents random_extents(uint64_t seed, int64_t least_sentences) {
  Random random(seed);
  Extents e;
  e.offsets = random_offsets(random, random_between(random, least_sentences, 4), 0, 5);
  e.options = {.heads = random_between(random, 1, 3),
               .softmax = seed % 3 != 0,
               .dropout = seed % 2 == 0 ? 0 : 0.3};
  e.columns = e.options.heads * random_between(random, 1, 4);
  e.width = random_between(random, 1, 5);
  e.left = random_between(random, 0, e.width - 1);
  return e;
}

plain::Matrix twin(const Extents& e, const plain::Matrix& x, plain::Matrix scores) {
  Tape masks({.seed = kTapeSeed});
  if (e.options.softmax) scores = plain::tap_softmax(e.width, scores);
  return plain::light_convolution({e.offsets, e.width, e.left, e.options.heads},
                                  plain::dropout(masks.next_dropout(e.options.dropout), scores), x);
}

// Windows longer than sentences, empty sentences, batches without sentences.
TEST(LightConvolutionGradient, AgreesWithCentralDifferencesForRandomShapesAndWindows) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Extents e = random_extents(seed, 0);
    const int64_t heads = e.options.heads;
    const CheckedFunction function{
        .inputs = {{"x", {e.offsets.back(), e.columns}}, {"scores", {heads, e.width}, true}},
        .ours =
            [e](Tape& tape, std::span<const Variable> v) {
              return std::vector{
                  light_convolution(tape, v[0], v[1], {e.offsets, e.width, e.left}, e.options)};
            },
        .twin =
            [e, heads](std::span<const plain::Matrix> v) {
              return std::vector{twin(e, v[0], {1, heads * e.width, v[1].values})};
            },
        .tape_seed = kTapeSeed};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

TEST(DynamicConvolutionGradient, AgreesWithCentralDifferencesForRandomShapesAndWindows) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Extents e = random_extents(seed, 0);
    const int64_t rows = e.offsets.back();
    const CheckedFunction function{
        .inputs = {{"x", {rows, e.columns}}, {"scores", {rows, e.options.heads * e.width}}},
        .ours =
            [e](Tape& tape, std::span<const Variable> v) {
              return std::vector{
                  dynamic_convolution(tape, v[0], v[1], {e.offsets, e.width, e.left}, e.options)};
            },
        .twin = [e](std::span<const plain::Matrix> v) { return std::vector{twin(e, v[0], v[1])}; },
        .tape_seed = kTapeSeed};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

// The gradient to shared weights is summed over some tokens at a time.
TEST(LightConvolutionGradient, SumsOverMoreTokensThanAreTakenAtATime) {
  Random random(1);
  const std::vector<int32_t> offsets = random_offsets(random, 80, 1, 17);
  ASSERT_GT(offsets.back(), 520);
  Tensor ones = Tensor::zeros({offsets.back(), 1}, DType::kF32);
  std::ranges::fill(ones.values<float>(), 1.0f);
  const Variable scores(Tensor::from<float>({1, 2}, {1, 2}), true);
  Tape tape({});
  const Variable y = light_convolution(tape, Variable(ones), scores, {offsets, 2, 1},
                                       {.heads = 1, .softmax = false});
  tape.backward(y, ones.copy());
  // Every token counts itself, and all but the first of a sentence the one before.
  const auto tokens = static_cast<float>(offsets.back());
  EXPECT_EQ(scores.gradient()->tensor().values<float>()[1], tokens);
  EXPECT_EQ(scores.gradient()->tensor().values<float>()[0], tokens - 80);
}

TEST(LightConvolution, RefusesScoresThatDoNotFit) {
  Tape tape({});
  const std::vector<int32_t> offsets = {0, 3};
  const auto zeros = [](Shape shape) { return Variable(Tensor::zeros(shape, DType::kF32)); };
  const auto light = [&](Shape scores) {
    light_convolution(tape, zeros({3, 4}), zeros(scores), {offsets, 5, 0}, {.heads = 2});
  };
  const auto dynamic = [&](Shape scores) {
    dynamic_convolution(tape, zeros({3, 4}), zeros(scores), {offsets, 5, 0}, {.heads = 2});
  };
  EXPECT_NO_THROW(light({2, 5}));
  EXPECT_THROW(light({1, 5}), ShapeError);
  EXPECT_NO_THROW(dynamic({3, 10}));
  EXPECT_THROW(dynamic({1, 10}), ShapeError);
}

}  // namespace
}  // namespace skein
