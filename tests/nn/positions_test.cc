#include "skein/nn/positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace skein {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::IsEmpty;

// Width 4 has the frequencies 1 and 1/10000; the first token is row 2, the second row 3.
TEST(SinusoidalPositions, AreTheSinesAndCosinesComputedByHand) {
  const Tensor table = sinusoidal_positions(2, 4);
  EXPECT_EQ(table.shape(), (Shape{4, 4}));
  EXPECT_THAT(table.slice(2, 3).values<float>(),
              ElementsAre(FloatNear(0.9092974f, 1e-6f), FloatNear(0.0002f, 1e-9f),
                          FloatNear(-0.4161468f, 1e-6f), FloatNear(1, 1e-6f)));
  EXPECT_THAT(table.slice(3, 4).values<float>(),
              ElementsAre(FloatNear(0.1411200f, 1e-6f), FloatNear(0.0003f, 1e-9f),
                          FloatNear(-0.9899925f, 1e-6f), FloatNear(1, 1e-6f)));
}

// Width 6: half 3, frequencies 10000^(-j / 2): 1, 0.01, 0.0001.
TEST(SinusoidalPositions, SpreadFrequenciesFromOneToATenThousandth) {
  const Tensor row = sinusoidal_positions(9, 6).slice(10, 11);
  const auto values = row.values<float>();
  EXPECT_NEAR(values[0], std::sin(10.0), 1e-6);
  EXPECT_NEAR(values[1], std::sin(0.1), 1e-6);
  EXPECT_NEAR(values[2], std::sin(0.001), 1e-6);
  EXPECT_NEAR(values[4], std::cos(0.1), 1e-6);
}

TEST(SinusoidalPositions, LeaveAnOddLastColumnZero) {
  const Tensor table = sinusoidal_positions(3, 5);
  for (int64_t row = 0; row < 5; ++row) EXPECT_EQ(table.values<float>()[size_t(row * 5 + 4)], 0);
  EXPECT_THAT(sinusoidal_positions(1, 1).values<float>(), ElementsAre(0, 0, 0));
}

TEST(PositionRows, BeginAgainWithEverySentence) {
  const std::vector<int32_t> offsets = {0, 3, 3, 4, 6};
  EXPECT_THAT(position_rows(offsets), ElementsAre(2, 3, 4, 2, 2, 3));
}

TEST(PositionRows, AreNoneForABatchWithoutSentences) {
  EXPECT_THAT(position_rows({}), IsEmpty());
  const std::vector<int32_t> offsets = {0};
  EXPECT_THAT(position_rows(offsets), IsEmpty());
}

}  // namespace
}  // namespace skein
