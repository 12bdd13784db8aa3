#include "skein/autograd/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/gradient_check.h"
#include "random_batches.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::IsEmpty;

CheckedFunction checked_loss(int64_t width, int64_t vocabulary, const std::vector<int32_t>& targets,
                             double smoothing) {
  const auto rows = static_cast<int64_t>(targets.size());
  return {.inputs = {{"features", {rows, width}},
                     {"weight", {vocabulary, width}, true},
                     {"bias", {vocabulary}, true}},
          .ours =
              [=](Tape& tape, std::span<const Variable> v) {
                return std::vector{projected_cross_entropy(tape, {.features = v[0],
                                                                  .weight = v[1],
                                                                  .bias = v[2],
                                                                  .targets = targets,
                                                                  .smoothing = smoothing})
                                       .variable};
              },
          .twin =
              [=](std::span<const plain::Matrix> v) {
                const plain::Matrix logits = plain::linear(v[0], v[1], v[2]);
                plain::Matrix loss(1, 1);
                loss(0, 0) = plain::cross_entropy(logits, targets, smoothing).smoothed;
                return std::vector{loss};
              }};
}

// The check multiplies the loss by a random number, so that the gradient that arrives is not 1.
TEST(ProjectedCrossEntropyGradient, AgreesWithCentralDifferencesForRandomShapes) {
  for (uint64_t seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int64_t vocabulary = random_between(random, 2, 17), width = random_between(random, 1, 9);
    const std::vector<int32_t> targets =
        random_tokens(random, random_between(random, 0, 6), vocabulary);
    const double smoothing = seed % 2 == 0 ? 0 : 0.1;
    EXPECT_THAT(disagreements(checked_loss(width, vocabulary, targets, smoothing), seed),
                IsEmpty());
  }
}

// Rows are projected in chunks.
TEST(ProjectedCrossEntropyGradient, AgreesForMoreRowsThanAChunk) {
  Random random(5);
  EXPECT_THAT(disagreements(checked_loss(2, 3, random_tokens(random, 300, 3), 0.1), 5), IsEmpty());
}

// Logits ln 1, ln 2, ln 5: probabilities 1/8, 2/8, 5/8. With smoothing 0.2 the target has weight
// 0.8 and each of the two others 0.1.
TEST(ProjectedCrossEntropy, SmoothsByHand) {
  Tape tape({.record = false});
  const Variable features(Tensor::from<float>({1}, {1, 1}));
  const Variable weight(Tensor::from<float>({0, std::log(2.0f), std::log(5.0f)}, {3, 1}));
  const std::vector<int32_t> targets = {1};
  const Loss loss = projected_cross_entropy(
      tape,
      {.features = features, .weight = weight, .bias = {}, .targets = targets, .smoothing = 0.2});
  EXPECT_EQ(loss.sums.tokens, 1);
  EXPECT_NEAR(loss.sums.plain, std::log(4.0), 1e-6);
  const double smoothed = 0.8 * std::log(4.0) + 0.1 * std::log(8.0) + 0.1 * std::log(8.0 / 5);
  EXPECT_NEAR(loss.sums.smoothed, smoothed, 1e-6);
  EXPECT_NEAR(loss.variable.value().values<float>()[0], smoothed, 1e-6);
}

TEST(ProjectedCrossEntropy, RefusesTargetsThatDoNotFit) {
  Tape tape({});
  const Variable features(Tensor::zeros({2, 3}, DType::kF32));
  const Variable weight(Tensor::zeros({4, 3}, DType::kF32));
  const auto loss = [&](std::vector<int32_t> targets) {
    return projected_cross_entropy(
        tape, {.features = features, .weight = weight, .bias = {}, .targets = targets});
  };
  EXPECT_THROW(loss({1}), ShapeError);
  EXPECT_THROW(loss({1, 2, 3}), ShapeError);
  EXPECT_THROW(loss({1, 4}), ShapeError);
  EXPECT_THROW(loss({1, -1}), ShapeError);
}

}  // namespace
}  // namespace skein
