#include "skein/kernels/top_k.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/top_k.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skein::kernels::HWY_NAMESPACE {

float row_maximum(const float* HWY_RESTRICT row, size_t count) {
  const F d;
  const size_t lanes = hn::Lanes(d);
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  // Four at a time: one maximum would wait for the one before.
  auto first = hn::Set(d, kLowest), second = first, third = first, fourth = first;
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    first = hn::Max(hn::LoadU(d, row + i), first);
    second = hn::Max(hn::LoadU(d, row + i + lanes), second);
    third = hn::Max(hn::LoadU(d, row + i + 2 * lanes), third);
    fourth = hn::Max(hn::LoadU(d, row + i + 3 * lanes), fourth);
  }
  for (; i + lanes <= count; i += lanes) first = hn::Max(hn::LoadU(d, row + i), first);
  float result = max_of_lanes(hn::Max(hn::Max(first, second), hn::Max(third, fourth)));
  for (; i < count; ++i) result = std::max(result, row[i]);
  return result;
}

float log_sum_exp_row(const float* HWY_RESTRICT row, size_t count, float scale) {
  const float maximum = row_maximum(row, count);
  if (maximum == -std::numeric_limits<float>::infinity()) {
    const bool all_lowest = std::all_of(row, row + count, [](float x) { return !std::isnan(x); });
    return all_lowest ? maximum : std::numeric_limits<float>::quiet_NaN();
  }
  const F d;
  const size_t lanes = hn::Lanes(d);
  const auto scales = set(scale), shift = set(-scale * maximum);
  auto sum = zero();
  size_t i = 0;
  // Sums of blocks, so that small terms are not lost beside the sum of a long row.
  while (i + lanes <= count) {
    const size_t end = std::min(count, i + 64 * lanes);
    auto block = zero();
    for (; i + lanes <= end; i += lanes) {
      block = hn::Add(block, exp(hn::MulAdd(hn::LoadU(d, row + i), scales, shift)));
    }
    sum = hn::Add(sum, block);
  }
  float total = sum_of_lanes(sum);
  for (; i < count; ++i) total += std::exp(scale * row[i] - scale * maximum);
  return scale * maximum + std::log(total);
}

// The index of the first value above `threshold` from `begin` on; `count` if none.
size_t skip_smaller(const float* HWY_RESTRICT row, size_t begin, size_t count, float threshold) {
  const F d;
  const size_t lanes = hn::Lanes(d);
  const auto thresholds = hn::Set(d, threshold);
  size_t i = begin;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto first = hn::Max(hn::LoadU(d, row + i), hn::LoadU(d, row + i + lanes));
    const auto second =
        hn::Max(hn::LoadU(d, row + i + 2 * lanes), hn::LoadU(d, row + i + 3 * lanes));
    if (!hn::AllFalse(d, hn::Gt(hn::Max(first, second), thresholds))) break;
  }
  for (; i + lanes <= count; i += lanes) {
    const auto found = hn::FindFirstTrue(d, hn::Gt(hn::LoadU(d, row + i), thresholds));
    if (found >= 0) return i + static_cast<size_t>(found);
  }
  while (i < count && !(row[i] > threshold)) ++i;
  return i;
}

}  // namespace skein::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {

HWY_EXPORT(log_sum_exp_row);
HWY_EXPORT(skip_smaller);

namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

void insert(RankedValue candidate, size_t k, std::vector<RankedValue>& best) {
  if (best.size() == k) best.pop_back();
  const auto place = std::upper_bound(
      best.begin(), best.end(), candidate,
      [](const RankedValue& a, const RankedValue& b) { return a.value > b.value; });
  best.insert(place, candidate);
}

}  // namespace

float log_sum_exp(std::span<const float> row, float scale) {
  return HWY_DYNAMIC_DISPATCH(log_sum_exp_row)(row.data(), row.size(), scale);
}

void top_k(std::span<const float> row, int64_t k, std::vector<RankedValue>& best) {
  best.clear();
  if (k <= 0) return;
  const auto wanted = static_cast<size_t>(k);
  const auto skip = HWY_DYNAMIC_DISPATCH(skip_smaller);
  float threshold = kLowest;
  for (size_t i = 0; (i = skip(row.data(), i, row.size(), threshold)) < row.size(); ++i) {
    insert({row[i], static_cast<int32_t>(i)}, wanted, best);
    if (best.size() == wanted) threshold = best.back().value;
  }
}

}  // namespace skein::kernels
#endif
