// Warm-up from 0, then polynomial decay to min_lr at total_updates:
//   min_lr + (base - min_lr) (1 - (u - warmup) / (total - warmup))^power
//
// Reads all rates, warmup_updates, min_lr, power, total_updates, force_anneal. As in the reference,
// the base of epoch e (from 1) is entry e of the list counted from 0, so a list's first entry
// serves only before the first epoch; and from epoch force_anneal on, an epoch's base is the rate
// that the one before ended with.
#pragma once

#include "skein/optim/schedule.h"

namespace skein {

class PolynomialSchedule final : public Schedule {
 public:
  PolynomialSchedule(const ScheduleOptions& options, const ScheduleInputs& inputs);

 protected:
  double rate(int64_t updates) override;
  void start_epoch(int64_t epoch) override;
  void save(NamedNumbers& numbers) const override;
  void load(const NamedNumbers& numbers) override;

 private:
  std::vector<double> rates_;
  int64_t warmup_updates_;
  int64_t total_updates_;
  double min_lr_;
  double power_;
  int64_t force_anneal_;
  double base_;
};

}  // namespace skein
