#include "skein/optim/moving_average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optim/example_parameters.h"

namespace skein {
namespace {

float first_value(const FlatParameters& parameters) { return parameters.values.values<float>()[0]; }

// By hand, decay 0.75: 0 + 0.25 (8 - 0) = 2, then 2 + 0.25 (8 - 2) = 3.5.
TEST(MovingAverage, FollowsTheValuesAndStandsInForThem) {
  FlatParameters parameters = one_parameter({0}, {0});
  MovingAverage average({.decay = 0.75, .warmup = false}, parameters);
  parameters.values.values<float>()[0] = 8;
  average.update();
  average.update();
  {
    const MovingAverage::InUse in_use(average);
    EXPECT_FLOAT_EQ(first_value(parameters), 3.5f);
  }
  EXPECT_FLOAT_EQ(first_value(parameters), 8);
}

TEST(MovingAverage, TheBf16CopyIsExchangedToo) {
  FlatParameters parameters = example_parameters(Half::kYes);
  MovingAverage average({.decay = 0.5, .warmup = false}, parameters);
  parameters.values.values<float>()[0] = 8;
  average.update();
  const MovingAverage::InUse in_use(average);
  EXPECT_FLOAT_EQ(first_value(parameters), 4);
  EXPECT_FLOAT_EQ(static_cast<float>(parameters.half.values<BFloat16>()[0]), 4);
}

// (1 + t) / (10 + t), at most 0.999.
TEST(MovingAverage, TheDecayWarmsUp) {
  FlatParameters parameters = one_parameter({0}, {0});
  const MovingAverage average({.decay = 0.999}, parameters);
  EXPECT_DOUBLE_EQ(average.decay(1), 2.0 / 11.0);
  EXPECT_DOUBLE_EQ(average.decay(90), 0.91);
  EXPECT_DOUBLE_EQ(average.decay(1'000'000), 0.999);
}

TEST(MovingAverage, ResumedItGoesOnAsIfItHadNotStopped) {
  FlatParameters parameters = one_parameter({1}, {0});
  MovingAverage whole({.decay = 0.9}, parameters);
  parameters.values.values<float>()[0] = 5;
  whole.update();
  MovingAverage resumed({.decay = 0.9}, parameters);
  resumed.averages()[0].values.values<float>()[0] = whole.averages()[0].values.values<float>()[0];
  resumed.restore_numbers(whole.state_numbers());
  whole.update();
  resumed.update();
  EXPECT_EQ(resumed.averages()[0].name, "weight");
  EXPECT_EQ(resumed.averages()[0].values.values<float>()[0],
            whole.averages()[0].values.values<float>()[0]);
}

}  // namespace
}  // namespace skein
