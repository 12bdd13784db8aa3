#include "skein/optim/tri_stage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numeric>

#include "skein/optim/total_updates.h"

namespace skein {
namespace {

void require_three_parts(const std::vector<double>& ratio) {
  const double sum = std::accumulate(ratio.begin(), ratio.end(), 0.0);
  if (ratio.size() == 3 && std::abs(sum - 1) < 1e-6) return;
  throw UsageError(
      fmt::format("schedule.phase_ratio = [{}]; expected three parts (warm-up, hold, decay) that "
                  "add up to 1",
                  fmt::join(ratio, ", ")));
}

}  // namespace

TriStageSchedule::TriStageSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs)
    : warmup_{.start = options.start_scale * inputs.rates.front(),
              .end = inputs.rates.front(),
              .updates = options.warmup_or(0)},
      hold_updates_(options.hold_updates),
      decay_updates_(options.decay_updates),
      end_scale_(options.end_scale) {
  if (!options.phase_ratio.empty()) {
    require_three_parts(options.phase_ratio);
    ScheduleOptions without_warmup = options;
    without_warmup.warmup_updates = 0;
    const double total = static_cast<double>(total_updates_of(without_warmup, inputs));
    warmup_.updates = static_cast<int64_t>(total * options.phase_ratio[0]);
    hold_updates_ = static_cast<int64_t>(total * options.phase_ratio[1]);
    decay_updates_ = static_cast<int64_t>(total * options.phase_ratio[2]);
  }
  if (warmup_.updates + hold_updates_ + decay_updates_ == 0 || end_scale_ <= 0) {
    throw UsageError(
        "schedule.name = 'tri_stage' needs schedule.end_scale above 0 and either "
        "schedule.phase_ratio or schedule.warmup_updates, hold_updates and decay_updates");
  }
}

double TriStageSchedule::rate(int64_t updates) {
  if (updates < warmup_.updates) return warmup_.rate(updates);
  const int64_t decayed = updates - warmup_.updates - hold_updates_;
  if (decayed < 0) return warmup_.end;
  if (decayed > decay_updates_) return end_scale_ * warmup_.end;
  if (decay_updates_ == 0) return warmup_.end;
  const double part = static_cast<double>(decayed) / static_cast<double>(decay_updates_);
  return warmup_.end * std::pow(end_scale_, part);
}

}  // namespace skein
