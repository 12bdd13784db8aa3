#include "skein/kernels/cross_entropy.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/cross_entropy.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/math-inl.h"

#ifndef SKEIN_KERNELS_CROSS_ENTROPY_ROW_
#define SKEIN_KERNELS_CROSS_ENTROPY_ROW_
namespace skein::kernels {
namespace {

struct RowSums {
  float highest = 0;
  float total = 0;         // of the logits
  float exponentials = 0;  // Σ exp(logit - highest)

  double log_sum() const {
    return static_cast<double>(highest) + std::log(static_cast<double>(exponentials));
  }
};

}  // namespace
}  // namespace skein::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

// Writes exp(logit - highest) of every logit to `exponentials`, which may be the row itself.
RowSums exponentiate(Elements row, int64_t count, Elements exponentials) {
  auto highest = set(-INFINITY), total = zero();
  for_lanes(0, count, [&](int64_t i, auto lanes) {
    const auto x = load(row, i, lanes);
    total = hn::Add(total, x);
    highest = hn::Max(highest, keep(x, set(-INFINITY), lanes));
  });
  RowSums sums = {.highest = max_of_lanes(highest), .total = sum_of_lanes(total)};
  auto sum = zero();
  for_lanes(0, count, [&](int64_t i, auto lanes) {
    const auto e = exp(hn::Sub(load(row, i, lanes), set(sums.highest)));
    store(e, exponentials, i, lanes);
    sum = hn::Add(sum, keep(e, zero(), lanes));
  });
  sums.exponentials = sum_of_lanes(sum);
  return sums;
}

// out = x * factor + offset
void scale_and_shift(Elements x, float factor, float offset, int64_t count, Elements out) {
  for_lanes(0, count, [&](int64_t i, auto lanes) {
    store(hn::MulAdd(load(x, i, lanes), set(factor), set(offset)), out, i, lanes);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {
namespace {

HWY_EXPORT(exponentiate);
HWY_EXPORT(scale_and_shift);

void require_arguments(const Tensor& logits, std::span<const int32_t> targets,
                       const Tensor& d_logits) {
  require_type("cross_entropy", "logits", logits, DType::kF32);
  const auto rows = static_cast<int64_t>(targets.size());
  const int64_t columns = logits.columns();
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
}

// What the distribution that is learned gives to the target and to every other word.
struct Smoothed {
  double target, other;
};
Smoothed smoothed(float smoothing, int64_t words) {
  if (words <= 1) return {1, 0};
  const auto s = static_cast<double>(smoothing);
  return {1 - s, s / static_cast<double>(words - 1)};
}

}  // namespace

CrossEntropySums cross_entropy(const Tensor& logits, std::span<const int32_t> targets,
                               float smoothing, Tensor& d_logits) {
  require_arguments(logits, targets, d_logits);
  const int64_t columns = logits.columns();
  const Smoothed share = smoothed(smoothing, columns);
  std::vector<CrossEntropySums> losses(targets.size());
  parallel_for(static_cast<int64_t>(targets.size()), 1, [&](int64_t begin, int64_t end) {
    std::vector<float> buffer(static_cast<size_t>(columns));
    const Elements work = {reinterpret_cast<std::byte*>(buffer.data()), false};
    for (int64_t r = begin; r < end; ++r) {
      const int32_t target = targets[static_cast<size_t>(r)];
      const auto logit = static_cast<double>(logits.data<float>()[r * columns + target]);
      const RowSums sums =
          HWY_DYNAMIC_DISPATCH(exponentiate)(elements(logits).from(r * columns), columns, work);
      const double plain = sums.log_sum() - logit;
      const double others =
          static_cast<double>(columns) * sums.log_sum() - static_cast<double>(sums.total) - plain;
      losses[static_cast<size_t>(r)] = {share.target * plain + share.other * others, plain};
      if (!d_logits.defined()) continue;
      // p - other; the target's place holds p - target.
      const Elements out = elements(d_logits).from(r * columns);
      const float inverse = 1 / sums.exponentials;
      HWY_DYNAMIC_DISPATCH(scale_and_shift)
      (work, inverse, static_cast<float>(-share.other), columns, out);
      HWY_DYNAMIC_DISPATCH(scale_and_shift)
      (work.from(target), inverse, static_cast<float>(-share.target), 1, out.from(target));
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
    std::vector<float> buffer(static_cast<size_t>(columns));
    const Elements work = {reinterpret_cast<std::byte*>(buffer.data()), false};
    for (int64_t r = begin; r < end; ++r) {
      const Elements row = elements(logits).from(r * columns);
      const RowSums sums = HWY_DYNAMIC_DISPATCH(exponentiate)(row, columns, work);
      HWY_DYNAMIC_DISPATCH(scale_and_shift)
      (row, 1, static_cast<float>(-sums.log_sum()), columns, elements(out).from(r * columns));
    }
  });
}

}  // namespace skein::kernels
#endif
