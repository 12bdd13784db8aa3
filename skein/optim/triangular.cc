#include "skein/optim/triangular.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace skein {

TriangularSchedule::TriangularSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs)
    : min_lr_(inputs.rates.front()),
      max_lr_(options.max_lr),
      half_period_(options.period_updates / 2),
      shrink_(options.shrink),
      shrink_min_(options.shrink_min) {
  if (max_lr_ <= min_lr_) {
    throw UsageError(
        fmt::format("schedule.max_lr = {} is not above optimizer.lr = {}, where 'triangular' "
                    "begins; set it higher",
                    max_lr_, min_lr_));
  }
  if (half_period_ < 1) {
    throw UsageError(
        fmt::format("schedule.period_updates = {}; 'triangular' needs at least 2 (one up, one "
                    "down)",
                    options.period_updates));
  }
}

double TriangularSchedule::rate(int64_t updates) {
  const int64_t cycle = updates / (2 * half_period_);
  const double shrink = std::pow(shrink_, static_cast<double>(cycle));
  const double low = shrink_min_ ? min_lr_ * shrink : min_lr_;
  const double high = max_lr_ * shrink;
  const double distance =
      std::abs(static_cast<double>(updates) / static_cast<double>(half_period_) -
               static_cast<double>(2 * cycle + 1));
  return low + (high - low) * std::max(0.0, 1 - distance);
}

}  // namespace skein
