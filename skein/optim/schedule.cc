#include "skein/optim/schedule.h"

#include "skein/optim/cosine.h"
#include "skein/optim/fixed.h"
#include "skein/optim/inverse_sqrt.h"
#include "skein/optim/plateau.h"
#include "skein/optim/polynomial.h"
#include "skein/optim/tri_stage.h"
#include "skein/optim/triangular.h"

namespace skein {
namespace {

template <typename Type>
std::unique_ptr<Schedule> make(const ScheduleOptions& options, const ScheduleInputs& inputs) {
  return std::make_unique<Type>(options, inputs);
}

Registry<ScheduleFactory> built_in_schedules() {
  Registry<ScheduleFactory> registry("schedule");
  registry.add("inverse_sqrt", make<InverseSqrtSchedule>);
  registry.add("fixed", make<FixedSchedule>);
  registry.add("cosine", make<CosineSchedule>);
  registry.add("polynomial", make<PolynomialSchedule>);
  registry.add("plateau", make<PlateauSchedule>);
  registry.add("tri_stage", make<TriStageSchedule>);
  registry.add("triangular", make<TriangularSchedule>);
  return registry;
}

}  // namespace

void Schedule::begin_epoch(int64_t epoch, int64_t updates) {
  start_epoch(epoch);
  update(updates);
}

void Schedule::update(int64_t updates) { lr_ = rate(updates); }

void Schedule::end_epoch(std::optional<double> validation, int64_t updates) {
  finish_epoch(validation);
  update(updates);
}

NamedNumbers Schedule::state() const {
  NamedNumbers numbers{{"lr", lr_}};
  save(numbers);
  return numbers;
}

void Schedule::restore(const NamedNumbers& numbers) {
  lr_ = number_of(numbers, "lr", "schedule");
  load(numbers);
}

void ScheduleOptions::bind(Settings& settings) {
  const Range count{0, 1e12};
  const Range rate{0, 1e6};
  settings.add("schedule.name", &name, "how the learning rate changes",
               schedule_registry().names());
  settings.add("schedule.warmup_updates", &warmup_updates,
               "updates during which the rate rises to optimizer.lr; -1: 4000 for inverse_sqrt, 0 "
               "for the others",
               {-1, 1e12});
  settings.add("schedule.warmup_start_lr", &warmup_start_lr,
               "rate of the first update; -1: the schedule's default", {-1, 1e6});
  settings.add("schedule.min_lr", &min_lr, "rate at the end (cosine, polynomial)", rate);
  settings.add("schedule.max_lr", &max_lr, "highest rate (triangular)", rate);
  settings.add("schedule.shrink", &shrink,
               "factor of each annealed epoch, period or plateau (fixed, cosine, plateau, "
               "triangular)",
               {0, 1});
  settings.add("schedule.shrink_min", &shrink_min, "shrink the lowest rate too (triangular)");
  settings.add("schedule.force_anneal", &force_anneal,
               "epoch from which the rate shrinks; 0: never (fixed, polynomial)", count);
  settings.add("schedule.total_updates", &total_updates,
               "updates until the end rate; 0: as many as training makes (cosine, polynomial, "
               "tri_stage)",
               count);
  settings.add("schedule.period_updates", &period_updates,
               "updates of a period; 0: all after the warm-up (cosine, triangular)", count);
  settings.add("schedule.period_factor", &period_factor,
               "each period is this many times longer than the last (cosine)", {1, 1e6});
  settings.add("schedule.power", &power, "exponent of the decay (polynomial)", {0, 1e3});
  settings.add("schedule.hold_updates", &hold_updates, "updates at the peak (tri_stage)", count);
  settings.add("schedule.decay_updates", &decay_updates, "updates of the decay (tri_stage)", count);
  settings.add("schedule.phase_ratio", &phase_ratio,
               "parts of all updates for warm-up, hold and decay, in place of the three counts "
               "(tri_stage)",
               {0, 1});
  settings.add("schedule.start_scale", &start_scale, "first rate over optimizer.lr (tri_stage)",
               {0, 1});
  settings.add("schedule.end_scale", &end_scale, "last rate over optimizer.lr (tri_stage)", {0, 1});
  settings.add("schedule.patience", &patience,
               "epochs without improvement that are tolerated (plateau)", count);
  settings.add("schedule.threshold", &threshold,
               "relative improvement that counts as one (plateau)", {0, 1});
  settings.add("schedule.maximize", &maximize, "larger validation values are better (plateau)");
}

Registry<ScheduleFactory>& schedule_registry() {
  static Registry<ScheduleFactory> registry = built_in_schedules();
  return registry;
}

std::unique_ptr<Schedule> make_schedule(const ScheduleOptions& options,
                                        const ScheduleInputs& inputs) {
  if (inputs.rates.empty()) {
    throw UsageError("optimizer.lr is empty; give at least one learning rate");
  }
  std::unique_ptr<Schedule> schedule = schedule_registry().get(options.name)(options, inputs);
  schedule->update(0);
  return schedule;
}

}  // namespace skein
