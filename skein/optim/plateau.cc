#include "skein/optim/plateau.h"

#include <algorithm>

namespace skein {
namespace {

// The reference leaves the rate alone where shrinking would change it by less.
constexpr double kSmallestChange = 1e-8;

}  // namespace

PlateauSchedule::PlateauSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs)
    : warmup_{.start = std::max(options.warmup_start_lr, 0.0),
              .end = inputs.rates.front(),
              .updates = options.warmup_or(0)},
      shrink_(options.shrink),
      threshold_(options.threshold),
      patience_(options.patience),
      maximize_(options.maximize),
      current_(warmup_.end),
      warmed_up_(warmup_.updates == 0) {}

double PlateauSchedule::rate(int64_t updates) {
  if (warmup_.updates > 0 && updates <= warmup_.updates) {
    current_ = warmup_.rate(updates);
  } else {
    warmed_up_ = true;
  }
  return current_;
}

bool PlateauSchedule::improves(double value) const {
  if (!best_) return true;
  return maximize_ ? value > *best_ * (1 + threshold_) : value < *best_ * (1 - threshold_);
}

void PlateauSchedule::finish_epoch(std::optional<double> validation) {
  if (!validation || !warmed_up_) return;
  if (improves(*validation)) {
    best_ = validation;
    bad_epochs_ = 0;
  } else {
    ++bad_epochs_;
  }
  if (bad_epochs_ <= patience_) return;
  bad_epochs_ = 0;
  const double shrunk = current_ * shrink_;
  if (current_ - shrunk > kSmallestChange) current_ = shrunk;
}

void PlateauSchedule::save(NamedNumbers& numbers) const {
  numbers["current"] = current_;
  numbers["warmed_up"] = warmed_up_ ? 1 : 0;
  numbers["bad_epochs"] = static_cast<double>(bad_epochs_);
  if (best_) numbers["best"] = *best_;
}

void PlateauSchedule::load(const NamedNumbers& numbers) {
  current_ = number_of(numbers, "current", "schedule");
  warmed_up_ = number_of(numbers, "warmed_up", "schedule") != 0;
  bad_epochs_ = count_of(numbers, "bad_epochs", "schedule");
  best_.reset();
  if (numbers.contains("best")) best_ = numbers.at("best");
}

}  // namespace skein
