// A rate that rises (or falls) in a straight line over the first updates.
#pragma once

#include <cstdint>

namespace skein {

struct LinearWarmup {
  double start = 0;
  double end = 0;
  int64_t updates = 0;

  // Requires updates > 0.
  double rate(int64_t update) const {
    const double step = (end - start) / static_cast<double>(updates);
    return start + static_cast<double>(update) * step;
  }
};

}  // namespace skein
