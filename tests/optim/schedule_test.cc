#include "skein/optim/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skein {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

struct Course {
  int64_t updates = 10;
  int64_t updates_per_epoch = 5;
  std::vector<double> validation = {};  // one value an epoch; empty: not measured
};

// The rates of `course.updates` updates.
std::vector<double> rates_of(Schedule& schedule, const Course& course) {
  std::vector<double> rates;
  for (int64_t u = 0; u < course.updates; ++u) {
    const int64_t epoch = u / course.updates_per_epoch;  // from 0
    if (u % course.updates_per_epoch == 0) schedule.begin_epoch(epoch + 1, u);
    rates.push_back(schedule.lr());
    schedule.update(u + 1);
    if ((u + 1) % course.updates_per_epoch != 0) continue;
    const size_t index = static_cast<size_t>(epoch);
    schedule.end_epoch(index < course.validation.size()
                           ? std::optional<double>(course.validation[index])
                           : std::nullopt,
                       u + 1);
  }
  return rates;
}

std::string error_of(const ScheduleOptions& options, const ScheduleInputs& inputs) {
  try {
    make_schedule(options, inputs);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

// By hand: a rise of 1/4 an update to 1 at update 4, then sqrt(4 / u).
TEST(Schedule, InverseSqrtRisesInALineAndFallsWithTheRootOfTheUpdates) {
  auto schedule = make_schedule({.name = "inverse_sqrt", .warmup_updates = 4}, {.rates = {1.0}});
  const std::vector<double> rates = rates_of(*schedule, {.updates = 17});
  EXPECT_THAT(std::vector<double>(rates.begin(), rates.begin() + 5),
              ElementsAre(0, 0.25, 0.5, 0.75, 1.0));
  EXPECT_DOUBLE_EQ(rates[9], 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(rates[16], 0.5);
}

TEST(Schedule, InverseSqrtWarmsUpFor4000UpdatesByDefault) {
  auto schedule = make_schedule({}, {.rates = {1.0}});
  schedule->update(1000);
  EXPECT_DOUBLE_EQ(schedule->lr(), 0.25);
  schedule->update(16000);
  EXPECT_DOUBLE_EQ(schedule->lr(), 0.5);
}

// By hand: epochs 1 and 2 from the list; epoch 3 = force_anneal is shrunk once, epoch 4 twice.
TEST(Schedule, FixedShrinksAlreadyInTheEpochOfForceAnneal) {
  auto schedule =
      make_schedule({.name = "fixed", .shrink = 0.5, .force_anneal = 3}, {.rates = {4.0, 2.0}});
  EXPECT_THAT(rates_of(*schedule, {.updates = 4, .updates_per_epoch = 1}),
              ElementsAre(4.0, 2.0, 1.0, 0.5));
}

// By hand: halfway through the period, half of the range; shrunk by 1/2 after the restart.
TEST(Schedule, CosineRestartsLowerAfterEachPeriod) {
  auto schedule =
      make_schedule({.name = "cosine", .shrink = 0.5, .period_updates = 4}, {.rates = {1.0}});
  const std::vector<double> rates = rates_of(*schedule, {.updates = 7});
  EXPECT_DOUBLE_EQ(rates[0], 1.0);
  EXPECT_DOUBLE_EQ(rates[2], 0.5);
  EXPECT_DOUBLE_EQ(rates[4], 0.5);
  EXPECT_DOUBLE_EQ(rates[6], 0.25);
}

// By hand: from 1 to 0 over 4 updates, squared.
TEST(Schedule, PolynomialEndsAtTheLowestRate) {
  auto schedule =
      make_schedule({.name = "polynomial", .power = 2}, {.rates = {1.0}, .total_updates = 4});
  EXPECT_THAT(rates_of(*schedule, {.updates = 6}),
              ElementsAre(1.0, DoubleEq(0.5625), 0.25, DoubleEq(0.0625), 0, 0));
}

// By hand: 3 is best, 3.5 is one bad epoch and 3.2 the second, which is more than the patience.
TEST(Schedule, PlateauShrinksWhenPatienceEnds) {
  auto schedule =
      make_schedule({.name = "plateau", .shrink = 0.5, .patience = 1}, {.rates = {1.0}});
  EXPECT_THAT(rates_of(*schedule,
                       {.updates = 5, .updates_per_epoch = 1, .validation = {4, 3, 3.5, 3.2, 2}}),
              ElementsAre(1.0, 1.0, 1.0, 1.0, 0.5));
}

// By hand: up to 1 in two, held for two, down to 1/4 in two: half each update.
TEST(Schedule, TriStageHoldsThenDecaysExponentially) {
  auto schedule = make_schedule({.name = "tri_stage",
                                 .warmup_updates = 2,
                                 .hold_updates = 2,
                                 .decay_updates = 2,
                                 .start_scale = 0.5,
                                 .end_scale = 0.25},
                                {.rates = {1.0}});
  EXPECT_THAT(rates_of(*schedule, {.updates = 8}),
              ElementsAre(0.5, 0.75, 1.0, 1.0, 1.0, DoubleEq(0.5), 0.25, 0.25));
}

// By hand: 1 to 3 and back in four updates; the next peak is halved.
TEST(Schedule, TriangularGoesUpAndDown) {
  auto schedule = make_schedule(
      {.name = "triangular", .max_lr = 3, .shrink = 0.5, .period_updates = 4}, {.rates = {1.0}});
  EXPECT_THAT(rates_of(*schedule, {.updates = 8}),
              ElementsAre(1.0, 2.0, 3.0, 2.0, 1.0, 1.25, 1.5, 1.25));
}

TEST(Schedule, ResumedInTheMiddleOfAnEpochItGoesOnAsIfItHadNotStopped) {
  const std::vector<double> validation = {5, 4, 4.5, 4.6, 3, 3.1};
  for (const std::string& name : schedule_registry().names()) {
    const ScheduleOptions options{.name = name,
                                  .warmup_updates = 3,
                                  .max_lr = 2,
                                  .shrink = 0.5,
                                  .force_anneal = 3,
                                  .period_updates = 6,
                                  .hold_updates = 4,
                                  .decay_updates = 10};
    const ScheduleInputs inputs{.rates = {1.0, 0.7}, .total_updates = 24};
    const Course course{.updates = 24, .updates_per_epoch = 4, .validation = validation};
    const std::vector<double> whole = rates_of(*make_schedule(options, inputs), course);

    auto first = make_schedule(options, inputs);
    rates_of(*first, {.updates = 18, .updates_per_epoch = 4, .validation = validation});
    auto second = make_schedule(options, inputs);
    second->restore(first->state());
    std::vector<double> rest;
    for (int64_t u = 18; u < 24; ++u) {
      if (u == 20) second->begin_epoch(6, u);
      rest.push_back(second->lr());
      second->update(u + 1);
      if (u == 19) second->end_epoch(validation[4], u + 1);
    }
    EXPECT_EQ(rest, std::vector<double>(whole.begin() + 18, whole.end())) << name;
  }
}

TEST(Schedule, AStateOfAnotherScheduleIsRefused) {
  auto plateau = make_schedule({.name = "plateau"}, {.rates = {1.0}});
  auto fixed = make_schedule({.name = "fixed"}, {.rates = {1.0}});
  EXPECT_THROW(plateau->restore(fixed->state()), FormatError);
}

TEST(Schedule, OptionsThatDoNotFitAreRefusedWithTheRemedy) {
  const ScheduleInputs inputs{.rates = {1.0}};
  EXPECT_THAT(error_of({.name = "cosin"}, inputs), HasSubstr("did you mean 'cosine'?"));
  EXPECT_THAT(error_of({.name = "fixed"}, {}), HasSubstr("optimizer.lr is empty"));
  EXPECT_THAT(error_of({.name = "polynomial"}, inputs), HasSubstr("set schedule.total_updates"));
  EXPECT_THAT(error_of({.name = "cosine", .warmup_updates = 9, .total_updates = 9}, inputs),
              HasSubstr("leaves none of 9 updates"));
  EXPECT_THAT(error_of({.name = "triangular", .max_lr = 0.5}, inputs),
              HasSubstr("schedule.max_lr = 0.5 is not above optimizer.lr = 1"));
  EXPECT_THAT(error_of({.name = "triangular", .max_lr = 2}, inputs),
              HasSubstr("schedule.period_updates = 0"));
  EXPECT_THAT(error_of({.name = "tri_stage"}, inputs), HasSubstr("schedule.phase_ratio"));
  EXPECT_THAT(
      error_of({.name = "tri_stage", .total_updates = 9, .phase_ratio = {0.5, 0.6}}, inputs),
      HasSubstr("three parts"));
}

TEST(Schedule, ItsSettingsAreSetByDottedName) {
  ScheduleOptions options;
  Settings settings;
  options.bind(settings);
  settings.read_toml("[schedule]\nname = 'cosine'\nwarmup_updates = 7\nphase_ratio = [0.1, 0.2]\n",
                     "test.toml");
  EXPECT_EQ(options.name, "cosine");
  EXPECT_EQ(options.warmup_updates, 7);
  EXPECT_THAT(options.phase_ratio, ElementsAre(0.1, 0.2));
  EXPECT_THROW(settings.set("schedule.shrink", "1.5"), UsageError);
}

}  // namespace
}  // namespace skein
