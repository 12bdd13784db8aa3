#include "skein/optim/inverse_sqrt.h"

#include <algorithm>
#include <cmath>

namespace skein {
namespace {

constexpr int64_t kDefaultWarmup = 4000;  // Vaswani et al. 2017

}  // namespace

InverseSqrtSchedule::InverseSqrtSchedule(const ScheduleOptions& options,
                                         const ScheduleInputs& inputs)
    : warmup_{.start = std::max(options.warmup_start_lr, 0.0),
              .end = inputs.rates.front(),
              .updates = options.warmup_or(kDefaultWarmup)},
      decay_factor_(warmup_.end *
                    std::sqrt(static_cast<double>(std::max<int64_t>(warmup_.updates, 1)))) {}

double InverseSqrtSchedule::rate(int64_t updates) {
  if (updates < warmup_.updates) return warmup_.rate(updates);
  return decay_factor_ / std::sqrt(static_cast<double>(std::max<int64_t>(updates, 1)));
}

}  // namespace skein
