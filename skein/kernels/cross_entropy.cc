#include "skein/kernels/cross_entropy.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/plain.h"

namespace skein::kernels {
namespace {

float log_sum_exp(const float* row, int64_t count) {
  float highest = -std::numeric_limits<float>::infinity(), sum = 0;
  for (int64_t i = 0; i < count; ++i) highest = std::max(highest, row[i]);
  for (int64_t i = 0; i < count; ++i) sum += std::exp(row[i] - highest);
  return highest + std::log(sum);
}

}  // namespace

CrossEntropySums cross_entropy(const Tensor& logits, std::span<const int32_t> targets,
                               float smoothing, Tensor& d_logits) {
  require_type("cross_entropy", "logits", logits, DType::kF32);
  const int64_t rows = static_cast<int64_t>(targets.size()), columns = logits.columns();
  require_matrix("cross_entropy", "logits", logits, rows, columns);
  if (d_logits.defined()) {
    require_float("cross_entropy", "d_logits", d_logits);
    require_matrix("cross_entropy", "d_logits", d_logits, rows, columns);
  }
  for (const int32_t target : targets) {
    if (target < 0 || target >= columns) {
      throw ShapeError(
          fmt::format("cross_entropy: target {} in a vocabulary of {}", target, columns));
    }
  }
  const float other = columns > 1 ? smoothing / static_cast<float>(columns - 1) : 0;
  const float own = columns > 1 ? 1 - smoothing : 1;
  std::vector<CrossEntropySums> losses(targets.size());
  parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* row = logits.data<float>() + r * columns;
      const int32_t target = targets[static_cast<size_t>(r)];
      const float log_sum = log_sum_exp(row, columns);
      double sum = 0;
      for (int64_t c = 0; c < columns; ++c) sum += static_cast<double>(log_sum - row[c]);
      const auto plain = static_cast<double>(log_sum - row[target]);
      losses[static_cast<size_t>(r)] = {
          static_cast<double>(own) * plain + static_cast<double>(other) * (sum - plain), plain};
      if (!d_logits.defined()) continue;
      for (int64_t c = 0; c < columns; ++c) {
        store(d_logits, r * columns + c, std::exp(row[c] - log_sum) - (c == target ? own : other));
      }
    }
  });
  CrossEntropySums total;
  for (const CrossEntropySums& loss : losses) {
    total.smoothed += loss.smoothed;
    total.plain += loss.plain;
  }
  return total;
}

void log_softmax(const Tensor& logits, Tensor& out) {
  require_type("log_softmax", "logits", logits, DType::kF32);
  require_type("log_softmax", "out", out, DType::kF32);
  require_elements("log_softmax", "out", out, logits.elements());
  const int64_t columns = logits.columns();
  parallel_for(logits.rows(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* row = logits.data<float>() + r * columns;
      const float log_sum = log_sum_exp(row, columns);
      float* result = out.data<float>() + r * columns;
      for (int64_t c = 0; c < columns; ++c) result[c] = row[c] - log_sum;
    }
  });
}

}  // namespace skein::kernels
