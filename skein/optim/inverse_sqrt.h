// Linear warm-up, then decay with the inverse square root of the number of updates. Vaswani et al.
// 2017, section 5.3.
//
// Reads the first rate (the peak), warmup_updates and warmup_start_lr (default 0: the first update
// is made with rate 0). Without warm-up the peak is the rate of update 1.
#pragma once

#include "skein/optim/schedule.h"
#include "skein/optim/warmup.h"

namespace skein {

class InverseSqrtSchedule final : public Schedule {
 public:
  InverseSqrtSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs);

 protected:
  double rate(int64_t updates) override;

 private:
  LinearWarmup warmup_;
  double decay_factor_;
};

}  // namespace skein
