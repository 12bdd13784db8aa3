#include "skein/optim/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "optim/example_parameters.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

// Kingma & Ba 2015, section 2.1: the first step is lr in the direction of the gradient's sign.
TEST(Optimizer, AdamsFirstStepIsTheRateWhateverTheGradient) {
  FlatParameters parameters = one_parameter({1, 1}, {1e-3f, -100});
  make_optimizer({.name = "adam"}, parameters)->step({.lr = 0.5});
  EXPECT_NEAR(parameters.values.values<float>()[0], 0.5, 1e-4);
  EXPECT_NEAR(parameters.values.values<float>()[1], 1.5, 1e-4);
}

// By hand: mean 0.1, variance 0.02 after the first gradient 1; their corrections make both 1. Adam:
// 1 sqrt(0.02) / 0.1 * 0.1 / (sqrt(0.02) + 1); AdamW: 1 / (1 + 1).
TEST(Optimizer, AdamWAddsEpsilonToTheCorrectedRoot) {
  const OptimizerOptions adam{.name = "adam", .epsilon = 1};
  const OptimizerOptions adamw{.name = "adamw", .epsilon = 1};
  FlatParameters first = one_parameter({0}, {1});
  FlatParameters second = one_parameter({0}, {1});
  make_optimizer(adam, first)->step({.lr = 1});
  make_optimizer(adamw, second)->step({.lr = 1});
  const double root = std::sqrt(0.02);
  EXPECT_NEAR(first.values.values<float>()[0], -root / (root + 1), 1e-6);
  EXPECT_NEAR(second.values.values<float>()[0], -0.5, 1e-6);
}

// By hand, decay first: 2 (1 - 0.1 * 0.5) = 1.9, and 0.1 for the step of Adam.
TEST(Optimizer, WeightDecayIsApartFromTheGradient) {
  FlatParameters parameters = one_parameter({2}, {1});
  make_optimizer({.name = "adam", .weight_decay = 0.5}, parameters)->step({.lr = 0.1});
  EXPECT_NEAR(parameters.values.values<float>()[0], 1.8, 1e-6);
}

// By hand, momentum 0.5, rate 1, gradient 1. Step 1: p = 0 - 1.5, buffer = -1. Step 2: p = -1.5 +
// 0.25 * -1 - 1.5 = -3.25.
TEST(Optimizer, NagLooksAheadAlongItsMomentum) {
  FlatParameters parameters = one_parameter({0}, {1});
  const auto optimizer = make_optimizer({.name = "nag", .momentum = 0.5}, parameters);
  optimizer->step({.lr = 1});
  EXPECT_FLOAT_EQ(parameters.values.values<float>()[0], -1.5f);
  optimizer->step({.lr = 1});
  EXPECT_FLOAT_EQ(parameters.values.values<float>()[0], -3.25f);
}

// By hand: -1, then the buffer is 0.5 * 1 + 1.
TEST(Optimizer, SgdWithMomentumSumsGradients) {
  FlatParameters parameters = one_parameter({0}, {1});
  const auto optimizer = make_optimizer({.name = "sgd", .momentum = 0.5}, parameters);
  optimizer->step({.lr = 1});
  optimizer->step({.lr = 1});
  EXPECT_FLOAT_EQ(parameters.values.values<float>()[0], -2.5f);
}

TEST(Optimizer, SgdWithoutMomentumHasNoState) {
  FlatParameters parameters = one_parameter({1}, {2});
  const auto optimizer = make_optimizer({.name = "sgd"}, parameters);
  optimizer->step({.lr = 0.25, .gradient_scale = 0.5});
  EXPECT_FLOAT_EQ(parameters.values.values<float>()[0], 0.75f);
  EXPECT_TRUE(optimizer->state_tensors().empty());
}

// By hand: of [[1, 1], [3, 3]] the squares' row means are 1 and 9 (mean 5), the column means 5 and
// 5; so update = g / sqrt(row / 5) / sqrt(5) = g / sqrt(row) = 1 everywhere.
TEST(Optimizer, AdafactorKeepsRowAndColumnMeans) {
  FlatParameters parameters = parameters_of({{"matrix", {2, 2}, {0, 0, 0, 0}, {1, 1, 3, 3}}});
  const auto optimizer = make_optimizer({.name = "adafactor"}, parameters);
  optimizer->step({.lr = 0.5});
  const Tensor values = view(parameters.values, parameters.parts[0]);
  for (const float value : values.values<float>()) EXPECT_NEAR(value, -0.5, 1e-6);
  const auto state = optimizer->state_tensors();
  ASSERT_EQ(state.size(), 2U);
  EXPECT_EQ(state[0].name, "matrix.row_mean_square");
  EXPECT_THAT(state[0].values.values<float>(), ElementsAre(1, 9));
  EXPECT_THAT(state[1].values.values<float>(), ElementsAre(5, 5));
}

// A stack of matrices is updated as each of them alone would be, but for the clipping, which is
// over the whole parameter (switched off here).
TEST(Optimizer, AdafactorTakesTheLastTwoExtentsAsTheMatrix) {
  const OptimizerOptions options{.name = "adafactor", .adafactor = {.clip_threshold = 1e9}};
  FlatParameters stack =
      parameters_of({{"stack", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 5, 7, 1, 0.5f, 2}}});
  FlatParameters apart = parameters_of({{"first", {2, 2}, {1, 2, 3, 4}, {1, 2, 3, 5}},
                                        {"second", {2, 2}, {5, 6, 7, 8}, {7, 1, 0.5f, 2}}});
  make_optimizer(options, stack)->step({.lr = 0.1});
  make_optimizer(options, apart)->step({.lr = 0.1});
  for (size_t i = 0; i < 4; ++i) {
    const auto whole = stack.values.values<float>();
    EXPECT_EQ(whole[i], view(apart.values, apart.parts[0]).values<float>()[i]);
    EXPECT_EQ(whole[i + 4], view(apart.values, apart.parts[1]).values<float>()[i]);
  }
}

TEST(Optimizer, TheBf16CopyFollowsTheValues) {
  for (const std::string& name : optimizer_registry().names()) {
    FlatParameters parameters = example_parameters(Half::kYes);
    make_optimizer({.name = name}, parameters)->step({.lr = 0.1});
    for (const FlatParameters::Part& part : parameters.parts) {
      const Tensor values = view(parameters.values, part);
      const Tensor half = view(parameters.half, part);
      for (size_t i = 0; i < static_cast<size_t>(values.elements()); ++i) {
        EXPECT_EQ(half.values<BFloat16>()[i].bits, BFloat16(values.values<float>()[i]).bits)
            << name;
      }
    }
  }
}

void copy_state(const Optimizer& from, Optimizer& to) {
  const auto source = from.state_tensors();
  auto target = to.state_tensors();
  ASSERT_EQ(source.size(), target.size());
  for (size_t i = 0; i < source.size(); ++i) {
    EXPECT_EQ(source[i].name, target[i].name);
    const auto values = source[i].values.values<float>();
    std::copy(values.begin(), values.end(), target[i].values.values<float>().begin());
  }
  to.restore_numbers(from.state_numbers());
}

TEST(Optimizer, ResumedItGoesOnAsIfItHadNotStopped) {
  for (const std::string& name : optimizer_registry().names()) {
    const OptimizerOptions options{.name = name,
                                   .weight_decay = 0.01,
                                   .momentum = 0.9,
                                   .adafactor = {.beta1 = 0.9, .scale_parameter = true}};
    FlatParameters whole = example_parameters(Half::kNo);
    const auto optimizer = make_optimizer(options, whole);
    optimizer->step({.lr = 0.1});
    optimizer->step({.lr = 0.2});

    FlatParameters resumed = whole;
    resumed.values = whole.values.copy();
    const auto second = make_optimizer(options, resumed);
    copy_state(*optimizer, *second);
    for (const double lr : {0.3, 0.1}) {
      optimizer->step({.lr = lr});
      second->step({.lr = lr});
    }
    EXPECT_THAT(resumed.values.values<float>(),
                testing::ElementsAreArray(whole.values.values<float>()))
        << name;
  }
}

TEST(Optimizer, UnknownNamesAndNumbersOutOfRangeAreRefused) {
  OptimizerOptions options;
  Settings settings;
  options.bind(settings);
  settings.set("optimizer.lr", "1e-3, 5e-4");
  EXPECT_THAT(options.lr, ElementsAre(1e-3, 5e-4));
  EXPECT_THROW(settings.set("optimizer.beta1", "1"), UsageError);
  options.name = "adamm";
  FlatParameters parameters = one_parameter({1}, {1});
  try {
    make_optimizer(options, parameters);
    FAIL() << "expected a UsageError";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'adam'?"));
  }
}

}  // namespace
}  // namespace skein
