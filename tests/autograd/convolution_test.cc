// Convolutions over packed sentences and weight normalisation.
#include "skein/autograd/convolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/gradient_check.h"
#include "random_batches.h"
#include "skein/autograd/functions.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr uint64_t kTapeSeed = 3;

struct Extents {
  std::vector<int32_t> offsets;
  int64_t in = 1, out = 1, width = 1, left = 0;
  double dropout = 0;
};

CheckedFunction checked_convolution(const Extents& e) {
  return {.inputs = {{"x", {e.offsets.back(), e.in}},
                     {"weight", {e.out, e.width * e.in}, true},
                     {"bias", {e.out}, true}},
          .ours =
              [e](Tape& tape, std::span<const Variable> v) {
                return std::vector{
                    convolution(tape, v[0], v[1], v[2], {e.offsets, e.width, e.left}, e.dropout)};
              },
          .twin =
              [e](std::span<const plain::Matrix> v) {
                Tape masks({.seed = kTapeSeed});
                const plain::Matrix x = plain::dropout(masks.next_dropout(e.dropout), v[0]);
                return std::vector{plain::convolution({e.offsets, e.width, e.left}, x, v[1], v[2])};
              },
          .tape_seed = kTapeSeed};
}

// Windows longer than sentences, empty sentences, batches without sentences.
TEST(ConvolutionGradient, AgreesWithCentralDifferencesForRandomShapesAndWindows) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int64_t width = random_between(random, 1, 5);
    const Extents extents{.offsets = random_offsets(random, random_between(random, 0, 4), 0, 4),
                          .in = random_between(random, 1, 5),
                          .out = random_between(random, 1, 6),
                          .width = width,
                          .left = random_between(random, 0, width - 1),
                          .dropout = seed % 2 == 0 ? 0 : 0.3};
    EXPECT_THAT(disagreements(checked_convolution(extents), seed), IsEmpty());
  }
}

// Windows are made for some rows at a time: borders of sentences and of these pieces differ. The
// way back takes whole sentences.
TEST(ConvolutionGradient, AgreesForMoreRowsThanArePutIntoWindowsAtATime) {
  Random random(1);
  const std::vector<int32_t> offsets = random_offsets(random, 230, 1, 17);
  ASSERT_GT(offsets.back(), 1300);
  const int64_t rows = offsets.back();
  constexpr int64_t kIn = 3, kOut = 2, kWidth = 4, kLeft = 1;
  const plain::Matrix input = {rows, kIn, [&] {
                                 std::vector<double> values;
                                 for (int64_t i = 0; i < rows * kIn; ++i)
                                   values.push_back(random.normal());
                                 return values;
                               }()};
  const auto tensor = [](const plain::Matrix& matrix) {
    return Tensor::from<float>(std::vector<float>(matrix.values.begin(), matrix.values.end()),
                               {matrix.rows, matrix.columns});
  };
  plain::Matrix weight(kOut, kWidth * kIn);
  for (double& value : weight.values) value = random.normal();
  plain::Matrix cotangent(rows, kOut);
  for (double& value : cotangent.values) value = random.normal();
  const Variable x(tensor(input), true), w(tensor(weight), true);
  Tape tape({});
  const Variable y = convolution(tape, x, w, Variable(), {offsets, kWidth, kLeft});
  tape.backward(y, tensor(cotangent));
  const plain::Convolution window{offsets, kWidth, kLeft};
  const plain::Matrix expected = plain::convolution(window, input, weight);
  for (size_t i = 0; i < expected.values.size(); ++i) {
    ASSERT_NEAR(y.value().values<float>()[i], expected.values[i], 1e-4) << i;
  }
  // The function is linear in each: a unit step in one element is its derivative.
  const auto derivative = [&](plain::Matrix of_x, plain::Matrix of_weight) {
    const plain::Matrix moved = plain::convolution(window, of_x, of_weight);
    double sum = 0;
    for (size_t i = 0; i < moved.values.size(); ++i) sum += moved.values[i] * cotangent.values[i];
    return sum;
  };
  for (size_t i = 0; i < weight.values.size(); ++i) {
    plain::Matrix unit(kOut, kWidth * kIn);
    unit.values[i] = 1;
    ASSERT_NEAR(w.gradient()->tensor().values<float>()[i], derivative(input, unit), 1e-2) << i;
  }
  for (const int64_t row :
       {int64_t{0}, int64_t{511}, int64_t{512}, int64_t{1023}, int64_t{1024}, rows - 1}) {
    plain::Matrix unit(rows, kIn);
    unit(row, 1) = 1;
    ASSERT_NEAR(x.gradient()->tensor().values<float>()[static_cast<size_t>(row * kIn + 1)],
                derivative(unit, weight), 1e-4)
        << row;
  }
}

// Taps 1, 10 and 100, sentences (1, 2, 3) and (4): by hand.
TEST(Convolution, LooksAroundAndBackWithinASentenceByHand) {
  const Variable x(Tensor::from<float>({1, 2, 3, 4}, {4, 1}));
  const Variable weight(Tensor::from<float>({1, 10, 100}, {1, 3}));
  const Variable bias(Tensor::from<float>({0.5}, {1}));
  const std::vector<int32_t> offsets = {0, 3, 4};
  Tape tape({.record = false});
  EXPECT_THAT(convolution(tape, x, weight, bias, {offsets, 3, 1}).value().values<float>(),
              ElementsAre(210.5, 321.5, 32.5, 40.5));
  EXPECT_THAT(convolution(tape, x, weight, bias, {offsets, 3, 2}).value().values<float>(),
              ElementsAre(100.5, 210.5, 321.5, 400.5));
}

TEST(Convolution, RefusesWhatDoesNotFit) {
  Tape tape({});
  const auto zeros = [](Shape shape) { return Variable(Tensor::zeros(shape, DType::kF32)); };
  const auto convolve = [&](Shape weight, std::vector<int32_t> offsets, int64_t width,
                            int64_t left) {
    return convolution(tape, zeros({3, 2}), zeros(weight), Variable(), {offsets, width, left});
  };
  EXPECT_NO_THROW(convolve({5, 4}, {0, 1, 3}, 2, 1));
  EXPECT_THROW(convolve({5, 6}, {0, 3}, 2, 0), ShapeError);
  EXPECT_THROW(convolve({5, 4}, {0, 2}, 2, 0), ShapeError);
  EXPECT_THROW(convolve({5, 4}, {0, 2, 1, 3}, 2, 0), ShapeError);
  EXPECT_THROW(convolve({5, 4}, {}, 2, 0), ShapeError);
  EXPECT_THAT(
      [&] {
        convolve({5, 4}, {0, 3}, 2, 2);
      },
      ThrowsMessage<ShapeError>(HasSubstr("a window of 2 rows with 2 of them on the left")));
  EXPECT_THROW(convolution(tape, zeros({3, 2}), zeros({5, 4}), zeros({4}),
                           {std::vector<int32_t>{0, 3}, 2, 0}),
               ShapeError);
}

TEST(WeightNormGradient, AgreesWithCentralDifferencesForRandomShapes) {
  for (uint64_t seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int64_t outputs = random_between(random, 1, 6), inputs = random_between(random, 1, 37);
    const CheckedFunction function{
        .inputs = {{"direction", {outputs, inputs}, true}, {"length", {outputs}, true}},
        .ours =
            [](Tape& tape, std::span<const Variable> v) {
              return std::vector{weight_norm(tape, v[0], v[1])};
            },
        .twin =
            [](std::span<const plain::Matrix> v) {
              return std::vector{plain::weight_norm(v[0], v[1])};
            }};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

// A weight that two functions use is normalised twice or once; its gradients add.
TEST(WeightNormGradient, AgreesThroughTheProductsThatUseTheWeight) {
  const CheckedFunction function{
      .inputs = {{"x", {3, 4}}, {"direction", {4, 4}, true}, {"length", {4}, true}},
      .ours =
          [](Tape& tape, std::span<const Variable> v) {
            const Variable weight = weight_norm(tape, v[1], v[2]);
            const Variable once = linear(tape, v[0], weight, Variable());
            return std::vector{linear(tape, once, weight, Variable())};
          },
      .twin =
          [](std::span<const plain::Matrix> v) {
            const plain::Matrix weight = plain::weight_norm(v[1], v[2]);
            return std::vector{plain::linear(plain::linear(v[0], weight), weight)};
          }};
  EXPECT_THAT(disagreements(function, 1), IsEmpty());
}

// |(3, 4)| = 5; a direction of zeros has no length to give.
TEST(WeightNorm, GivesEveryRowItsLengthByHand) {
  Tape tape({.record = false});
  const Variable direction(Tensor::from<float>({3, 4, 0, 0}, {2, 2}));
  const Variable length(Tensor::from<float>({10, 7}, {2}));
  EXPECT_THAT(weight_norm(tape, direction, length).value().values<float>(),
              ElementsAre(6, 8, 0, 0));
}

TEST(WeightNorm, RefusesALengthForAnotherNumberOfRows) {
  Tape tape({});
  const Variable direction(Tensor::zeros({2, 3}, DType::kF32));
  EXPECT_THROW(weight_norm(tape, direction, Variable(Tensor::zeros({3}, DType::kF32))), ShapeError);
}

}  // namespace
}  // namespace skein
