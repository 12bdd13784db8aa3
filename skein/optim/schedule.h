// Learning-rate schedules: the rate of every update, as the published reference (fairseq) computes
// it. Chosen by `schedule.name`; a plug-in adds its own to schedule_registry().
//
//   auto schedule = make_schedule(options, {.rates = lr, .total_updates = max_updates});
//   for (epoch = 1; ...; ++epoch) {
//     schedule->begin_epoch(epoch, updates);
//     for (batch ...) { optimizer.step(schedule->lr()); schedule->update(++updates); }
//     schedule->end_epoch(validation_loss, updates);
//   }
//
// After restore() in the middle of an epoch that epoch's begin_epoch is not repeated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "skein/base/registry.h"
#include "skein/base/settings.h"
#include "skein/optim/named_numbers.h"

namespace skein {

class Schedule {
 public:
  virtual ~Schedule() = default;

  // The rate for the next update.
  double lr() const { return lr_; }

  // `epoch` counts from 1; `updates` is the number of updates made so far.
  void begin_epoch(int64_t epoch, int64_t updates);
  void update(int64_t updates);
  // `validation` is the value that schedule.name = "plateau" watches; empty: not measured.
  void end_epoch(std::optional<double> validation, int64_t updates);

  NamedNumbers state() const;
  // Throws FormatError if a number is missing.
  void restore(const NamedNumbers& numbers);

 protected:
  virtual double rate(int64_t updates) = 0;
  virtual void start_epoch(int64_t /*epoch*/) {}
  virtual void finish_epoch(std::optional<double> /*validation*/) {}
  // What the rate depends on beside the number of updates.
  virtual void save(NamedNumbers& /*numbers*/) const {}
  virtual void load(const NamedNumbers& /*numbers*/) {}

 private:
  double lr_ = 0;
};

// Each schedule's header says which of these it reads.
struct ScheduleOptions {
  std::string name = "inverse_sqrt";
  int64_t warmup_updates = -1;  // negative: 4000 for inverse_sqrt, none for the others
  double warmup_start_lr = -1;  // negative: the schedule's own default
  double min_lr = 0;
  double max_lr = 0;
  double shrink = 0.1;
  bool shrink_min = false;
  int64_t force_anneal = 0;    // the first epoch that shrinks; 0: none
  int64_t total_updates = 0;   // 0: as many as training makes
  int64_t period_updates = 0;  // 0: all updates after the warm-up
  double period_factor = 1;    // each period is this many times longer than the last
  double power = 1;
  int64_t hold_updates = 0;
  int64_t decay_updates = 0;
  std::vector<double> phase_ratio = {};
  double start_scale = 0.01;
  double end_scale = 0.05;
  int64_t patience = 0;
  double threshold = 1e-4;
  bool maximize = false;

  int64_t warmup_or(int64_t default_updates) const {
    return warmup_updates < 0 ? default_updates : warmup_updates;
  }
  // Binds every member under `schedule.`.
  void bind(Settings& settings);
};

struct ScheduleInputs {
  std::vector<double> rates = {};  // optimizer.lr: one rate, or one for each of the first epochs
  int64_t total_updates = 0;       // updates that training makes; 0: not known
};

using ScheduleFactory = std::unique_ptr<Schedule> (*)(const ScheduleOptions&,
                                                      const ScheduleInputs&);
Registry<ScheduleFactory>& schedule_registry();

// Throws UsageError for an unknown name or options that do not fit the schedule.
std::unique_ptr<Schedule> make_schedule(const ScheduleOptions& options,
                                        const ScheduleInputs& inputs);

}  // namespace skein
