#include "skein/optim/total_updates.h"

#include <fmt/format.h>

namespace skein {

int64_t total_updates_of(const ScheduleOptions& options, const ScheduleInputs& inputs) {
  const int64_t total = options.total_updates > 0 ? options.total_updates : inputs.total_updates;
  if (total <= 0) {
    throw UsageError(
        fmt::format("schedule.name = '{}' must know how many updates training makes; set "
                    "schedule.total_updates",
                    options.name));
  }
  if (options.warmup_or(0) >= total) {
    throw UsageError(fmt::format(
        "schedule.warmup_updates = {} leaves none of {} updates for the decay of '{}'; set fewer",
        options.warmup_or(0), total, options.name));
  }
  return total;
}

}  // namespace skein
