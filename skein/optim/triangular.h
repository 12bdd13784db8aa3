// Cyclical rates: up from the first rate to max_lr and down again, over and over. Smith 2017.
//
// Reads the first rate (the lowest), max_lr, period_updates (a rise and a fall; an odd count is
// rounded down), shrink: each cycle's max_lr is that many times the last one's, and with shrink_min
// the lowest rate too.
#pragma once

#include "skein/optim/schedule.h"

namespace skein {

class TriangularSchedule final : public Schedule {
 public:
  TriangularSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs);

 protected:
  double rate(int64_t updates) override;

 private:
  double min_lr_;
  double max_lr_;
  int64_t half_period_;
  double shrink_;
  bool shrink_min_;
};

}  // namespace skein
