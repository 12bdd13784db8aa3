#include "skein/optim/norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "optim/example_parameters.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/base/random.h"

namespace skein {
namespace {

// By hand: |(3, 4)| = 5.
TEST(ClipByGlobalNorm, ScalesLongGradientsDownAndLeavesShortOnes) {
  const FlatParameters parameters = one_parameter({0, 0}, {3, 4});
  const Clipping clipped = clip_by_global_norm(parameters, 1, 0.5, 1);
  EXPECT_DOUBLE_EQ(clipped.norm, 5);
  EXPECT_NEAR(clipped.gradient_scale, 0.1, 1e-7);
  EXPECT_DOUBLE_EQ(clip_by_global_norm(parameters, 1, 6, 1).gradient_scale, 1);
}

TEST(ClipByGlobalNorm, TheNormIsThatOfTheScaledGradients) {
  const FlatParameters parameters = one_parameter({0, 0}, {3, 4});
  const Clipping clipped = clip_by_global_norm(parameters, 0.1, 0.25, 1);
  EXPECT_DOUBLE_EQ(clipped.norm, 0.5);
  EXPECT_NEAR(clipped.gradient_scale, 0.05, 1e-6);
}

TEST(ClipByGlobalNorm, ZeroSwitchesClippingOffButStillMeasures) {
  const Clipping clipped = clip_by_global_norm(one_parameter({0, 0}, {3, 4}), 1, 0, 1);
  EXPECT_DOUBLE_EQ(clipped.norm, 5);
  EXPECT_DOUBLE_EQ(clipped.gradient_scale, 1);
}

TEST(ClipByGlobalNorm, NonFiniteGradientsAreNamed) {
  FlatParameters parameters = example_parameters(Half::kNo);
  Tensor bias = view(parameters.gradients, parameters.parts[1]);
  bias.values<float>()[2] = std::numeric_limits<float>::quiet_NaN();
  bias.values<float>()[3] = std::numeric_limits<float>::infinity();
  try {
    clip_by_global_norm(parameters, 1, 1, 1200);
    FAIL() << "expected a NonFiniteError";
  } catch (const NonFiniteError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("2 of the 5 gradient values of encoder.bias are "
                                                 "NaN or infinite at update 1200"));
  }
}

TEST(SumOfSquares, IsTheSameForEveryNumberOfThreads) {
  Random random(7);
  std::vector<float> values(300'007);
  double expected = 0;
  for (float& value : values) {
    value = static_cast<float>(random.normal());
    expected += static_cast<double>(value) * static_cast<double>(value);
  }
  const int before = threads();
  set_threads(1);
  const double one = sum_of_squares(values);
  set_threads(3);
  const double three = sum_of_squares(values);
  set_threads(before);
  EXPECT_EQ(one, three);
  EXPECT_NEAR(one, expected, 1e-9 * expected);
}

TEST(SumOfSquares, LargeFloatsDoNotOverflow) {
  EXPECT_DOUBLE_EQ(sum_of_squares(std::vector<float>{2e30f}),
                   static_cast<double>(2e30f) * static_cast<double>(2e30f));
  EXPECT_EQ(sum_of_squares({}), 0);
}

}  // namespace
}  // namespace skein
