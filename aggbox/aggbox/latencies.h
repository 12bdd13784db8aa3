// A histogram of durations that fits into memory shared by processes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>

#include "aggbox/bpf/shared.h"

namespace aggbox {

// Counts one more: AGGBOX_LATENCIES buckets, four to an octave, the first of up to 1 us.
inline void count_latency(std::span<std::uint64_t, AGGBOX_LATENCIES> counts,
                          std::chrono::nanoseconds duration) {
  const double microseconds = static_cast<double>(duration.count()) * 1e-3;
  const double bucket = std::ceil(4 * std::log2(std::max(microseconds, 1.0)));
  const auto index = std::min<std::size_t>(static_cast<std::size_t>(bucket), counts.size() - 1);
  __atomic_fetch_add(&counts[index], 1, __ATOMIC_RELAXED);
}

// Microseconds below which `share` of the durations are, up to a fifth too many; 0 if there are
// none.
inline double latency_percentile(std::span<const std::uint64_t, AGGBOX_LATENCIES> counts,
                                 double share) {
  std::uint64_t all = 0;
  for (const std::uint64_t count : counts) all += count;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < counts.size() && all > 0; ++i) {
    below += counts[i];
    if (static_cast<double>(below) >= share * static_cast<double>(all))
      return std::exp2(static_cast<double>(i) / 4);
  }
  return 0;
}

}  // namespace aggbox
