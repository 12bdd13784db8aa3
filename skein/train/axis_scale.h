// From the values on an axis of a plot to its range and the marks on it.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace skein {

struct AxisScale {
  double low = 0;
  double high = 1;
  std::vector<double> ticks;  // rising, all within [low, high]

  // 0 at `low`, 1 at `high`.
  double fraction(double value) const { return (value - low) / (high - low); }
};

// Ticks are multiples of 1, 2 or 5 times a power of ten, at most `most_ticks` of them and not fewer
// than two; the range reaches from tick to tick around all values, which are finite. Without values
// it is 0 to 1; for a single one it is wide enough to show where it lies.
AxisScale axis_scale(std::span<const double> values, int most_ticks);

// "0.25", "500", "20k", "1.5M".
std::string tick_label(double value);

}  // namespace skein
