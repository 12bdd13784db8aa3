#include "skein/kernels/convolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/reference.h"
#include "random_batches.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"

namespace skein::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// What the windows hold of each row, summed in double precision.
std::vector<double> plain_fold(const Fold& fold, int64_t columns) {
  const std::vector<double> windows = doubles(fold.windows);
  const int64_t rows = fold.windows.rows();
  std::vector<double> sums(static_cast<size_t>(rows * columns));
  const std::span<const int32_t> offsets = fold.window.offsets;
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (int64_t t = offsets[s]; t < offsets[s + 1]; ++t) {
      if (t < fold.first || t >= fold.first + rows) continue;
      for (int64_t tap = 0; tap < fold.window.width; ++tap) {
        const int64_t row = t - fold.window.left + tap;
        if (row < offsets[s] || row >= offsets[s + 1]) continue;
        for (int64_t c = 0; c < columns; ++c) {
          const int64_t from = ((t - fold.first) * fold.window.width + tap) * columns + c;
          const auto index = static_cast<uint64_t>(row * columns + c);
          sums[static_cast<size_t>((row - fold.first) * columns + c)] +=
              windows[static_cast<size_t>(from)] * double{dropout_factor(fold.dropout, index)};
        }
      }
    }
  }
  return sums;
}

// Some sentences of a batch, with windows that are longer than sentences, and empty sentences.
TEST(Fold, SumsWhatTheWindowsHoldOfEveryRow) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const DType type = kBothTypes[seed % 2];
    const std::vector<int32_t> offsets = random_offsets(random, random_between(random, 1, 9), 0, 6);
    const auto sentences = static_cast<int64_t>(offsets.size()) - 1;
    const int64_t from = random_between(random, 0, sentences);
    const int64_t to = random_between(random, from, sentences);
    const int64_t first = offsets[static_cast<size_t>(from)];
    const int64_t rows = offsets[static_cast<size_t>(to)] - first;
    const int64_t columns = random_between(random, 1, 40), width = random_between(random, 1, 5);
    const Tensor windows = random_tensor({rows, width * columns}, type, seed);
    const Fold arguments = {.window = {offsets, width, random_between(random, 0, width - 1)},
                            .windows = windows,
                            .first = first,
                            .dropout = {.probability = seed % 3 == 0 ? 0.3f : 0, .seed = seed},
                            .accumulate = seed % 4 >= 2};
    Tensor x = random_tensor({offsets.back(), columns}, type, seed + 1);
    std::vector<double> expected = doubles(x);
    const std::vector<double> sums = plain_fold(arguments, columns);
    for (size_t i = 0; i < sums.size(); ++i) {
      double& value = expected[static_cast<size_t>(first * columns) + i];
      value = sums[i] + (arguments.accumulate ? value : 0);
    }
    fold(arguments, x);
    expect_close(x, expected, 5);
  }
}

TEST(Fold, GivesTheSameBitsForEveryNumberOfThreads) {
  Random random(1);
  const std::vector<int32_t> offsets = random_offsets(random, 300, 1, 20);
  const Tensor windows = random_tensor({offsets.back(), 3 * 70}, DType::kF32, 2);
  const auto folded = [&](int threads) {
    set_threads(threads);
    Tensor x = Tensor::zeros({offsets.back(), 70}, DType::kF32);
    fold({.window = {offsets, 3, 1}, .windows = windows}, x);
    return doubles(x);
  };
  const int before = threads();
  const std::vector<double> one = folded(1), three = folded(3);
  set_threads(before);
  EXPECT_EQ(three, one);
}

// Windows of three rows around each; sentences (a, b, c) and (d). Tap k of row t is of row t - 1 +
// k: row b is the last tap of a's window, the middle of its own and the first of c's.
TEST(Fold, AddsTheTapsOfARowByHand) {
  const std::vector<int32_t> offsets = {0, 3, 4};
  const Tensor windows = Tensor::from<float>({1, 2, 3, 40, 50, 60, 700, 800, 900, 1, 2, 4}, {4, 3});
  Tensor x = Tensor::zeros({4, 1}, DType::kF32);
  fold({.window = {offsets, 3, 1}, .windows = windows}, x);
  EXPECT_THAT(x.values<float>(), ElementsAre(2 + 40, 3 + 50 + 700, 60 + 800, 2));
}

TEST(Fold, RefusesRowsThatAreNoWholeSentencesAndShapesThatDoNotFit) {
  const std::vector<int32_t> offsets = {0, 3, 4};
  Tensor x = Tensor::zeros({4, 2}, DType::kF32);
  const auto try_fold = [&](Shape windows, int64_t first, Window window, float dropout = 0) {
    const Tensor zeros = Tensor::zeros(windows, DType::kF32);
    fold({.window = window, .windows = zeros, .first = first, .dropout = {.probability = dropout}},
         x);
  };
  EXPECT_NO_THROW(try_fold({1, 4}, 3, {offsets, 2, 1}));
  EXPECT_THAT(
      [&] {
        try_fold({2, 4}, 0, {offsets, 2, 1});
      },
      ThrowsMessage<ShapeError>(HasSubstr("row 2 lies within a sentence")));
  EXPECT_THAT(
      [&] {
        try_fold({2, 4}, 3, {offsets, 2, 1});
      },
      ThrowsMessage<ShapeError>(HasSubstr("rows 3 to 5 of 4")));
  EXPECT_THROW(try_fold({3, 4}, 0, {offsets, 3, 1}), ShapeError);
  EXPECT_THROW(try_fold({3, 4}, 0, {offsets, 2, 2}), ShapeError);
  EXPECT_THROW(try_fold({3, 4}, 0, {{offsets.data(), 2}, 2, 1}), ShapeError);
  EXPECT_THROW(try_fold({3, 4}, 0, {offsets, 2, 1}, 1.5f), ShapeError);
}

}  // namespace
}  // namespace skein::kernels
