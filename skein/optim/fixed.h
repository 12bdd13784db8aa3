// One rate for each epoch, from a list whose last entry stays; from epoch `force_anneal` on, the
// last entry times shrink^(epoch + 1 - force_anneal), so that epoch itself is shrunk once.
//
// Reads all rates, force_anneal, shrink, and warmup_updates: update u (from 0) of the warm-up has
// (u + 1) / warmup_updates of the epoch's rate.
#pragma once

#include "skein/optim/schedule.h"

namespace skein {

class FixedSchedule final : public Schedule {
 public:
  FixedSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs);

 protected:
  double rate(int64_t updates) override;
  void start_epoch(int64_t epoch) override;
  void save(NamedNumbers& numbers) const override;
  void load(const NamedNumbers& numbers) override;

 private:
  std::vector<double> rates_;
  int64_t force_anneal_;
  double shrink_;
  int64_t warmup_updates_;
  double epoch_rate_;
};

}  // namespace skein
