// Linear warm-up, hold, exponential decay, then constant. Park et al. 2019 (SpecAugment), section
// 3.2.
//
// Reads the first rate (the peak), start_scale, end_scale, and either warmup_updates, hold_updates
// and decay_updates, or phase_ratio: their three parts of total_updates.
#pragma once

#include "skein/optim/schedule.h"
#include "skein/optim/warmup.h"

namespace skein {

class TriStageSchedule final : public Schedule {
 public:
  TriStageSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs);

 protected:
  double rate(int64_t updates) override;

 private:
  LinearWarmup warmup_;
  int64_t hold_updates_;
  int64_t decay_updates_;
  double end_scale_;
};

}  // namespace skein
