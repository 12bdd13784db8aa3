#include "skein/kernels/elementwise.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/elementwise.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {

void convert_range(Elements from, Elements to, int64_t begin, int64_t end) {
  for_lanes(begin, end, [&](int64_t i, auto lanes) { store(load(from, i, lanes), to, i, lanes); });
}

void add_range(Elements a, Elements b, Elements out, int64_t begin, int64_t end) {
  for_lanes(begin, end, [&](int64_t i, auto lanes) {
    store(hn::Add(load(a, i, lanes), load(b, i, lanes)), out, i, lanes);
  });
}

void scale_range(float factor, Elements x, int64_t begin, int64_t end) {
  const auto factors = set(factor);
  for_lanes(begin, end, [&](int64_t i, auto lanes) {
    store(hn::Mul(factors, load(x, i, lanes)), x, i, lanes);
  });
}

void dropout_range(const DropoutKeys& keys, Elements x, Elements out, int64_t begin, int64_t end) {
  for_lanes(begin, end, [&](int64_t i, auto lanes) {
    store(hn::Mul(dropout_factors(keys, i), load(x, i, lanes)), out, i, lanes);
  });
}

// sums[c] += column c of x, for columns [begin, end).
void column_sum_range(Elements x, int64_t rows, int64_t columns, float* sums, int64_t begin,
                      int64_t end) {
  constexpr int64_t kRows = 8;  // summed in registers before the sums are touched
  const Elements out = {reinterpret_cast<std::byte*>(sums), false};
  for (int64_t first = 0; first < rows; first += kRows) {
    const int64_t last = std::min(first + kRows, rows);
    for_lanes(begin, end, [&](int64_t c, auto lanes) {
      auto sum = load(out, c, lanes);
      for (int64_t r = first; r < last; ++r) sum = hn::Add(sum, load(x, r * columns + c, lanes));
      store(sum, out, c, lanes);
    });
  }
}

double sum_of_squares_range(Elements x, int64_t begin, int64_t end) {
  const hn::ScalableTag<double> d;
  auto low = hn::Zero(d), high = hn::Zero(d);
  for_lanes(begin, end, [&](int64_t i, auto lanes) {
    const auto value = load(x, i, lanes);
#if HWY_TARGET == HWY_SCALAR
    const auto wide = hn::PromoteTo(d, value);
    low = hn::MulAdd(wide, wide, low);
#else
    const hn::Rebind<float, decltype(d)> half;
    const auto wide_low = hn::PromoteTo(d, hn::LowerHalf(half, value));
    const auto wide_high = hn::PromoteTo(d, hn::UpperHalf(half, value));
    low = hn::MulAdd(wide_low, wide_low, low);
    high = hn::MulAdd(wide_high, wide_high, high);
#endif
  });
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high)));
}

// 0 times a finite number is 0, times another it is NaN.
bool finite_range(Elements x, int64_t begin, int64_t end) {
  auto sum = zero();
  for_lanes(begin, end,
            [&](int64_t i, auto lanes) { sum = hn::MulAdd(load(x, i, lanes), zero(), sum); });
  return sum_of_lanes(sum) == 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {
namespace {

HWY_EXPORT(convert_range);
HWY_EXPORT(add_range);
HWY_EXPORT(scale_range);
HWY_EXPORT(dropout_range);
HWY_EXPORT(column_sum_range);
HWY_EXPORT(sum_of_squares_range);
HWY_EXPORT(finite_range);

constexpr int64_t kGrain = 16384;
// Sums of this many elements are added in order, whatever thread made them.
constexpr int64_t kChunk = 16384;

int64_t chunks_of(const Tensor& x) { return (x.elements() + kChunk - 1) / kChunk; }

}  // namespace

void convert(const Tensor& from, Tensor& to) {
  require_float("convert", "from", from);
  require_float("convert", "to", to);
  require_elements("convert", "to", to, from.elements());
  parallel_for(from.elements(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(convert_range)(elements(from), elements(to), begin, end);
  });
}

void add(const Tensor& a, const Tensor& b, Tensor& out) {
  require_float("add", "a", a);
  require_float("add", "b", b);
  require_float("add", "out", out);
  require_elements("add", "b", b, a.elements());
  require_elements("add", "out", out, a.elements());
  parallel_for(a.elements(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(add_range)(elements(a), elements(b), elements(out), begin, end);
  });
}

void accumulate(const Tensor& x, Tensor& into) { add(into, x, into); }

void scale(float factor, Tensor& x) {
  require_float("scale", "x", x);
  parallel_for(x.elements(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(scale_range)(factor, elements(x), begin, end);
  });
}

void column_sum(const Tensor& x, Tensor& out, bool accumulate) {
  require_float("column_sum", "x", x);
  require_type("column_sum", "out", out, DType::kF32);
  const int64_t columns = x.columns(), rows = x.rows();
  require_elements("column_sum", "out", out, columns);
  if (!accumulate) out.fill_zero();
  parallel_for(columns, 64, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(column_sum_range)
    (elements(x), rows, columns, out.data<float>(), begin, end);
  });
}

double sum_of_squares(const Tensor& x) {
  require_float("sum_of_squares", "x", x);
  std::vector<double> sums(static_cast<size_t>(chunks_of(x)));
  parallel_for(chunks_of(x), 1, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const int64_t last = std::min(x.elements(), (chunk + 1) * kChunk);
      sums[static_cast<size_t>(chunk)] =
          HWY_DYNAMIC_DISPATCH(sum_of_squares_range)(elements(x), chunk * kChunk, last);
    }
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

bool all_finite(const Tensor& x) {
  require_float("all_finite", "x", x);
  std::atomic<bool> finite = true;
  parallel_for(x.elements(), kGrain, [&](int64_t begin, int64_t end) {
    if (!HWY_DYNAMIC_DISPATCH(finite_range)(elements(x), begin, end)) finite = false;
  });
  return finite;
}

void dropout(const Dropout& mask, const Tensor& x, Tensor& out) {
  require_float("dropout", "x", x);
  require_float("dropout", "out", out);
  require_elements("dropout", "out", out, x.elements());
  require_probability("dropout", mask.probability);
  const DropoutKeys keys = dropout_keys(mask);
  parallel_for(x.elements(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(dropout_range)(keys, elements(x), elements(out), begin, end);
  });
}

float dropout_factor(const Dropout& mask, uint64_t index) {
  return dropout_factor(dropout_keys(mask), index);
}

}  // namespace skein::kernels
#endif
