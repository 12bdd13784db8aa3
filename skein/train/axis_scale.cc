#include "skein/train/axis_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace skein {
namespace {

// The least of 1, 2, 5, 10 times a power of ten that is not below `step`.
double round_step_up(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1., 2., 5.}) {
    if (factor * power >= step) return factor * power;
  }
  return 10 * power;
}

}  // namespace

AxisScale axis_scale(std::span<const double> values, int most_ticks) {
  if (values.empty()) return {.low = 0, .high = 1, .ticks = {0, 1}};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  double low = *least;
  double high = *most;
  // Less than this is no spread but rounding.
  if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high))) {
    const double margin = low == 0 ? 1 : std::abs(low) / 2;
    low -= margin;
    high += margin;
  }
  // Rounding outwards to ticks can add two steps to the range.
  double step = round_step_up((high - low) / std::max(most_ticks - 1, 1));
  while (std::ceil(high / step) - std::floor(low / step) > most_ticks - 1) {
    step = round_step_up(step * 1.5);
  }
  AxisScale scale;
  const auto first = std::llround(std::floor(low / step));
  const auto last = std::llround(std::ceil(high / step));
  for (auto i = first; i <= last; ++i) scale.ticks.push_back(static_cast<double>(i) * step);
  scale.low = scale.ticks.front();
  scale.high = scale.ticks.back();
  return scale;
}

std::string tick_label(double value) {
  const double size = std::abs(value);
  if (size >= 1e6) return fmt::format("{:g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:g}k", value / 1e3);
  return fmt::format("{:g}", value);
}

}  // namespace skein
