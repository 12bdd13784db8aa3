// What the scheduled validations have said, for choosing the best, for patience and for schedules.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace skein {

struct ValidationHistory {
  bool larger_is_better = false;    // of validation.metric
  std::optional<double> last = {};  // if no schedule has heard of it yet
  std::optional<double> best = {};
  int64_t without_best = 0;  // validations since the best one

  bool is_better(double value) const {
    return !best || (larger_is_better ? value > *best : value < *best);
  }

  // What a schedule is told at the end of an epoch: a validation once.
  std::optional<double> take_last() { return std::exchange(last, std::nullopt); }

  void add(double value) {
    last = value;
    if (is_better(value)) {
      best = value;
      without_best = 0;
    } else {
      ++without_best;
    }
  }
};

}  // namespace skein
