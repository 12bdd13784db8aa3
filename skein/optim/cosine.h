// Cosine annealing with warm restarts after a linear warm-up. Loshchilov & Hutter 2017, eq. 5.
//
// Reads the first rate (the peak), min_lr, warmup_updates, warmup_start_lr (default min_lr),
// period_updates (0: the rest of total_updates), period_factor, and shrink: each period's lowest
// and highest rate are that many times those of the last. The rate restarts at the end of every
// period, also of the last one.
#pragma once

#include "skein/optim/schedule.h"
#include "skein/optim/warmup.h"

namespace skein {

class CosineSchedule final : public Schedule {
 public:
  CosineSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs);

 protected:
  double rate(int64_t updates) override;

 private:
  struct Place {
    double period = 0;    // index
    double length = 0;    // updates
    double position = 0;  // updates since the period began
  };
  Place place_of(double updates) const;

  double min_lr_;
  LinearWarmup warmup_;
  double period_updates_;
  double period_factor_;
  double shrink_;
};

}  // namespace skein
