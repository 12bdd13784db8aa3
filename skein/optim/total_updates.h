// The length of training, for schedules that end with it.
#pragma once

#include "skein/optim/schedule.h"

namespace skein {

// schedule.total_updates, or where that is 0 what training makes. Throws UsageError if neither is
// known or the warm-up is not shorter.
int64_t total_updates_of(const ScheduleOptions& options, const ScheduleInputs& inputs);

}  // namespace skein
