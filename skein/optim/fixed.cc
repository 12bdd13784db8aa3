#include "skein/optim/fixed.h"

#include <algorithm>
#include <cmath>

namespace skein {

FixedSchedule::FixedSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs)
    : rates_(inputs.rates),
      force_anneal_(options.force_anneal),
      shrink_(options.shrink),
      warmup_updates_(options.warmup_or(0)),
      epoch_rate_(rates_.front()) {}

double FixedSchedule::rate(int64_t updates) {
  if (updates >= warmup_updates_) return epoch_rate_;
  return static_cast<double>(updates + 1) / static_cast<double>(warmup_updates_) * epoch_rate_;
}

void FixedSchedule::start_epoch(int64_t epoch) {
  if (force_anneal_ == 0 || epoch < force_anneal_) {
    const size_t index = static_cast<size_t>(std::max<int64_t>(epoch - 1, 0));
    epoch_rate_ = rates_[std::min(index, rates_.size() - 1)];
  } else {
    epoch_rate_ = rates_.back() * std::pow(shrink_, static_cast<double>(epoch + 1 - force_anneal_));
  }
}

void FixedSchedule::save(NamedNumbers& numbers) const { numbers["epoch_rate"] = epoch_rate_; }

void FixedSchedule::load(const NamedNumbers& numbers) {
  epoch_rate_ = number_of(numbers, "epoch_rate", "schedule");
}

}  // namespace skein
