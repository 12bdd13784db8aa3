#include "skein/optim/cosine.h"

#include <cmath>
#include <numbers>

#include "skein/optim/total_updates.h"

namespace skein {
namespace {

int64_t period_of(const ScheduleOptions& options, const ScheduleInputs& inputs) {
  if (options.period_updates > 0) return options.period_updates;
  return total_updates_of(options, inputs) - options.warmup_or(0);
}

}  // namespace

CosineSchedule::CosineSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs)
    : min_lr_(options.min_lr),
      warmup_{.start = options.warmup_start_lr < 0 ? options.min_lr : options.warmup_start_lr,
              .end = inputs.rates.front(),
              .updates = options.warmup_or(0)},
      period_updates_(static_cast<double>(period_of(options, inputs))),
      period_factor_(options.period_factor),
      shrink_(options.shrink) {}

double CosineSchedule::rate(int64_t updates) {
  if (updates < warmup_.updates) return warmup_.rate(updates);
  const Place place = place_of(static_cast<double>(updates - warmup_.updates));
  const double shrink = std::pow(shrink_, place.period);
  const double low = min_lr_ * shrink;
  const double high = warmup_.end * shrink;
  return low +
         0.5 * (high - low) * (1 + std::cos(std::numbers::pi * place.position / place.length));
}

CosineSchedule::Place CosineSchedule::place_of(double updates) const {
  if (period_factor_ == 1) {
    const double period = std::floor(updates / period_updates_);
    return {period, period_updates_, updates - period_updates_ * period};
  }
  // Period i begins after period_updates (1 - f^i) / (1 - f) updates.
  const double factor = period_factor_;
  const double period =
      std::floor(std::log(1 - updates / period_updates_ * (1 - factor)) / std::log(factor));
  const double growth = std::pow(factor, period);
  return {period, growth * period_updates_,
          updates - (1 - growth) / (1 - factor) * period_updates_};
}

}  // namespace skein
