#include "skein/kernels/light_convolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/reference.h"
#include "plain_light_convolution.h"
#include "random_batches.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"

namespace skein::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

plain::Matrix plain_matrix(const Tensor& tensor) {
  return {tensor.rows(), tensor.columns(), doubles(tensor)};
}

// Heads of less than a vector, of some vectors, of four and more; windows beyond sentences.
TEST(LightConvolution, EqualsFloat64ForSharedWeightsAndThoseOfEachToken) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const DType type = kBothTypes[seed % 2];
    const std::vector<int32_t> offsets = random_offsets(random, random_between(random, 0, 6), 0, 7);
    const int64_t rows = offsets.back(), heads = random_between(random, 1, 4);
    const int64_t columns = heads * random_between(random, 1, seed % 3 == 0 ? 150 : 9);
    const int64_t width = random_between(random, 1, 9);
    const LightWindow window{{offsets, width, random_between(random, 0, width - 1)}, heads};
    const Tensor x = random_tensor({rows, columns}, type, seed);
    const Tensor weights =
        random_tensor({seed % 4 < 2 ? 1 : rows, heads * width}, kBothTypes[seed / 2 % 2], seed + 1);
    Tensor y = Tensor::zeros({rows, columns}, type);
    light_convolution(window, weights, x, y);
    expect_close(y,
                 plain::light_convolution({offsets, width, window.window.left, heads},
                                          plain_matrix(weights), plain_matrix(x))
                     .values,
                 6);
  }
}

// The last row of a sentence that is as long as the window.
TEST(LightConvolution, OfGivenWindowsIsThatOfTheLastRow) {
  for (const DType type : kBothTypes) {
    constexpr int64_t kRows = 5, kWidth = 4, kHeads = 2, kColumns = 6;
    const Tensor windows = random_tensor({kRows, kWidth * kColumns}, type, 1);
    for (const int64_t weight_rows : {int64_t{1}, kRows}) {
      const Tensor weights = random_tensor({weight_rows, kHeads * kWidth}, type, 2);
      Tensor y = Tensor::zeros({kRows, kColumns}, type);
      light_convolution_of_windows(kHeads, weights, windows, y);
      std::vector<double> expected;
      for (int64_t row = 0; row < kRows; ++row) {
        const plain::Matrix sentence =
            plain_matrix(windows.slice(row, row + 1).reshape({kWidth, kColumns}));
        const int64_t weight = weight_rows == 1 ? 0 : row;
        const plain::Matrix convolved =
            plain::light_convolution({std::vector<int32_t>{0, kWidth}, kWidth, kWidth - 1, kHeads},
                                     plain_matrix(weights.slice(weight, weight + 1)), sentence);
        expected.insert(expected.end(), convolved.values.end() - kColumns, convolved.values.end());
      }
      expect_close(y, expected, 4);
    }
  }
}

// Weights 1, 10, 100 for the first head, 2, 20, 200 for the second; sentences (1, 2) and (3) in
// both.
TEST(LightConvolution, GivesEveryHeadItsWeightsByHand) {
  const std::vector<int32_t> offsets = {0, 2, 3};
  const Tensor x = Tensor::from<float>({1, 1, 2, 2, 3, 3}, {3, 2});
  const Tensor weights = Tensor::from<float>({1, 10, 100, 2, 20, 200}, {1, 6});
  Tensor y = Tensor::zeros({3, 2}, DType::kF32);
  light_convolution({{offsets, 3, 1}, 2}, weights, x, y);
  EXPECT_THAT(y.values<float>(), ElementsAre(210, 420, 21, 42, 30, 60));
  light_convolution({{offsets, 3, 2}, 2}, weights, x, y);
  EXPECT_THAT(y.values<float>(), ElementsAre(100, 200, 210, 420, 300, 600));
}

TEST(LightConvolution, SumsTheSameBitsForEveryNumberOfThreads) {
  Random random(1);
  const std::vector<int32_t> offsets = random_offsets(random, 100, 1, 20);
  const Tensor x = random_tensor({offsets.back(), 32}, DType::kF32, 1);
  const Tensor dy = random_tensor({offsets.back(), 32}, DType::kF32, 2);
  const auto gradient = [&](int count) {
    set_threads(count);
    Tensor d = Tensor::zeros({(x.rows() + 99) / 100, 4 * 7}, DType::kF32);
    light_convolution_weight_gradient({{offsets, 7, 6}, 4}, 100, x, dy, d);
    return doubles(d);
  };
  const int before = threads();
  const std::vector<double> one = gradient(1), three = gradient(3);
  set_threads(before);
  EXPECT_EQ(three, one);
}

TEST(TapSoftmax, EqualsFloat64ForEveryNumberOfTaps) {
  for (int64_t taps = 1; taps <= 40; ++taps) {
    SCOPED_TRACE(taps);
    const DType type = kBothTypes[taps % 2];
    const auto seed = static_cast<uint64_t>(taps);
    const Tensor scores = random_tensor({5, 3 * taps}, type, seed, 3);
    Tensor weights = Tensor::zeros({5, 3 * taps}, type);
    tap_softmax(taps, scores, weights);
    expect_close(weights, plain::tap_softmax(taps, plain_matrix(scores)).values);
  }
}

// Scores far outside the range of exp.
TEST(TapSoftmax, StandsGreatScores) {
  const Tensor scores = Tensor::from<float>({1000, 1000, -1000, -1000}, {1, 4});
  Tensor weights = Tensor::zeros({1, 4}, DType::kF32);
  tap_softmax(2, scores, weights);
  EXPECT_THAT(weights.values<float>(), ElementsAre(0.5, 0.5, 0.5, 0.5));
}

TEST(LightConvolution, RefusesWhatDoesNotFit) {
  const std::vector<int32_t> offsets = {0, 2, 3};
  const auto convolve = [&](Shape weights, Shape x, int64_t heads, int64_t width) {
    Tensor y = Tensor::zeros({3, 4}, DType::kF32);
    light_convolution({{offsets, width, 0}, heads}, Tensor::zeros(weights, DType::kF32),
                      Tensor::zeros(x, DType::kF32), y);
  };
  EXPECT_NO_THROW(convolve({1, 6}, {3, 4}, 2, 3));
  EXPECT_NO_THROW(convolve({3, 6}, {3, 4}, 2, 3));
  EXPECT_THROW(convolve({2, 6}, {3, 4}, 2, 3), ShapeError);
  EXPECT_THROW(convolve({1, 5}, {3, 4}, 2, 3), ShapeError);
  EXPECT_THROW(convolve({1, 6}, {2, 4}, 2, 3), ShapeError);
  EXPECT_THAT(
      [&] {
        convolve({1, 9}, {3, 4}, 3, 3);
      },
      ThrowsMessage<ShapeError>(HasSubstr("4 channels are not divided into 3 heads")));
  Tensor weights = Tensor::zeros({1, 5}, DType::kF32);
  EXPECT_THAT([&] { tap_softmax(2, weights, weights); },
              ThrowsMessage<ShapeError>(HasSubstr("5 columns are no heads of 2 taps")));
}

}  // namespace
}  // namespace skein::kernels
