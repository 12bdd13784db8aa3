#include "skein/train/loss_watch.h"

#include <fmt/format.h>

namespace skein {

std::optional<std::string> LossWatch::see(double nll, int64_t update) {
  if (!least_ || nll < least_->nll) least_ = Least{nll, update};
  if (nll <= least_->nll + kRise) {
    rows_above_ = 0;
    return std::nullopt;
  }
  if (rows_above_ == kRows || ++rows_above_ < kRows) return std::nullopt;
  return fmt::format(
      "the training diverges: its loss was {:.2f} nats a token at update {} and is {:.2f} at "
      "update "
      "{}; stop it and train into another --output with a lower optimizer.lr, more "
      "schedule.warmup_updates or train.clip_norm",
      least_->nll, least_->update, nll, update);
}

}  // namespace skein
