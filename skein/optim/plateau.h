// The rate shrinks when the validation value has not improved for more than `patience` epochs,
// after an optional linear warm-up during which the value is not looked at.
//
// Reads the first rate, shrink, patience, threshold (better: below best * (1 - threshold), or above
// best * (1 + threshold) with `maximize`), warmup_updates, warmup_start_lr (default 0).
#pragma once

#include "skein/optim/schedule.h"
#include "skein/optim/warmup.h"

namespace skein {

class PlateauSchedule final : public Schedule {
 public:
  PlateauSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs);

 protected:
  double rate(int64_t updates) override;
  void finish_epoch(std::optional<double> validation) override;
  void save(NamedNumbers& numbers) const override;
  void load(const NamedNumbers& numbers) override;

 private:
  bool improves(double value) const;

  LinearWarmup warmup_;
  double shrink_;
  double threshold_;
  int64_t patience_;
  bool maximize_;

  double current_;
  bool warmed_up_;
  std::optional<double> best_;
  int64_t bad_epochs_ = 0;
};

}  // namespace skein
