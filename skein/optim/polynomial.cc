#include "skein/optim/polynomial.h"

#include <algorithm>
#include <cmath>

#include "skein/optim/total_updates.h"

namespace skein {

PolynomialSchedule::PolynomialSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs)
    : rates_(inputs.rates),
      warmup_updates_(options.warmup_or(0)),
      total_updates_(total_updates_of(options, inputs)),
      min_lr_(options.min_lr),
      power_(options.power),
      force_anneal_(options.force_anneal),
      base_(rates_.front()) {}

double PolynomialSchedule::rate(int64_t updates) {
  if (warmup_updates_ > 0 && updates <= warmup_updates_) {
    return static_cast<double>(updates) / static_cast<double>(warmup_updates_) * base_;
  }
  if (updates >= total_updates_) return min_lr_;
  const double remaining = 1 - static_cast<double>(updates - warmup_updates_) /
                                   static_cast<double>(total_updates_ - warmup_updates_);
  return (base_ - min_lr_) * std::pow(remaining, power_) + min_lr_;
}

void PolynomialSchedule::start_epoch(int64_t epoch) {
  if (force_anneal_ == 0 || epoch < force_anneal_) {
    base_ = rates_[std::min(static_cast<size_t>(epoch), rates_.size() - 1)];
  } else {
    base_ = lr();
  }
}

void PolynomialSchedule::save(NamedNumbers& numbers) const { numbers["base"] = base_; }

void PolynomialSchedule::load(const NamedNumbers& numbers) {
  base_ = number_of(numbers, "base", "schedule");
}

}  // namespace skein
