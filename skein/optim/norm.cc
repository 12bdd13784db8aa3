#include "skein/optim/norm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "skein/base/error.h"
#include "skein/base/parallel.h"

namespace skein {
namespace {

constexpr int64_t kBlock = 1 << 16;
constexpr size_t kLanes = 16;  // independent sums, so that the compiler vectorises

double block_sum(const float* values, int64_t count) {
  std::array<double, kLanes> sums{};
  int64_t i = 0;
  for (; i + static_cast<int64_t>(kLanes) <= count; i += static_cast<int64_t>(kLanes)) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<double>(values[i + static_cast<int64_t>(lane)]);
      sums[lane] += value * value;
    }
  }
  for (; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    sums[0] += value * value;
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace

double sum_of_squares(std::span<const float> values) {
  const auto count = static_cast<int64_t>(values.size());
  const int64_t blocks = (count + kBlock - 1) / kBlock;
  std::vector<double> sums(static_cast<size_t>(blocks));
  parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * kBlock;
      sums[static_cast<size_t>(block)] =
          block_sum(values.data() + first, std::min(kBlock, count - first));
    }
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

Clipping clip_known_norm(double sum_of_squares, double gradient_scale, double max_norm) {
  const double norm = std::sqrt(sum_of_squares) * gradient_scale;
  const double factor = max_norm > 0 ? std::min(1.0, max_norm / (norm + 1e-6)) : 1.0;
  return {.norm = norm, .gradient_scale = gradient_scale * factor};
}

Clipping clip_by_global_norm(const FlatParameters& parameters, double gradient_scale,
                             double max_norm, int64_t update) {
  const double sum = sum_of_squares(parameters.gradients.values<float>());
  if (!std::isfinite(sum)) require_finite_gradients(parameters, update);
  return clip_known_norm(sum, gradient_scale, max_norm);
}

void require_finite_gradients(const FlatParameters& parameters, int64_t update) {
  for (const FlatParameters::Part& part : parameters.parts) {
    const Tensor gradient = view(parameters.gradients, part);
    const std::span<const float> values = gradient.values<float>();
    const auto bad =
        std::count_if(values.begin(), values.end(), [](float g) { return !std::isfinite(g); });
    if (bad == 0) continue;
    throw NonFiniteError(fmt::format(
        "{} of the {} gradient values of {} are NaN or infinite at update {}; train anew, with "
        "another --output, with a smaller optimizer.lr or a longer schedule.warmup_updates",
        bad, values.size(), part.name, update));
  }
}

}  // namespace skein
