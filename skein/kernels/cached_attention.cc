#include <algorithm>
#include <cmath>

#include "skein/base/parallel.h"
#include "skein/kernels/attention.h"
#include "skein/kernels/check.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/cached_attention.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE Elements row_of(const MatrixView& view, int64_t row, int64_t column) {
  return elements(view).from(row * view.stride + column);
}

// query, sums: floats padded to whole vectors. weights: one float a key and as many again.
struct CachedWork {
  float *query, *sums, *weights;
};

void cached_head(const CachedAttention& a, int64_t row, int64_t head, const CachedWork& work,
                 const Elements& out) {
  const int64_t dim = a.queries.columns / a.heads, column = head * dim;
  const auto first = static_cast<size_t>(a.row_offsets[static_cast<size_t>(row)]);
  const auto count = a.row_offsets[static_cast<size_t>(row) + 1] - static_cast<int64_t>(first);
  const std::span<const int32_t> rows = a.key_rows.subspan(first, static_cast<size_t>(count));
  const Elements query = row_of(a.queries, row, column);
  for_lanes(0, dim, [&](int64_t c, auto part) {
    hn::Store(hn::Mul(set(a.scale), load(query, c, part)), F(), work.query + c);
    hn::Store(zero(), F(), work.sums + c);
  });
  float highest = -INFINITY;
  for (int64_t j = 0; j < count; ++j) {
    const Elements key = row_of(a.keys, rows[static_cast<size_t>(j)], column);
    auto sum = zero();
    for_lanes(0, dim, [&](int64_t c, auto part) {
      sum = hn::MulAdd(hn::Load(F(), work.query + c), load(key, c, part), sum);
    });
    work.weights[j] = sum_of_lanes(sum);
    highest = std::max(highest, work.weights[j]);
  }
  const Elements weights = {reinterpret_cast<std::byte*>(work.weights), false};
  auto total = zero();
  for_lanes(0, count, [&](int64_t j, auto part) {
    const auto e = keep(exp(hn::Sub(load(weights, j, part), set(highest))), zero(), part);
    total = hn::Add(total, e);
    store(e, weights, j, part);
  });
  for (int64_t j = 0; j < count; ++j) {
    const Elements value = row_of(a.values, rows[static_cast<size_t>(j)], column);
    const auto weight = set(work.weights[j]);
    for_lanes(0, dim, [&](int64_t c, auto part) {
      const auto sum = hn::Load(F(), work.sums + c);
      hn::Store(hn::MulAdd(weight, load(value, c, part), sum), F(), work.sums + c);
    });
  }
  const auto inverse = set(count > 0 ? 1 / sum_of_lanes(total) : 0);
  const Elements result = out.from(row * a.queries.columns + column);
  for_lanes(0, dim, [&](int64_t c, auto part) {
    store(hn::Mul(inverse, hn::Load(F(), work.sums + c)), result, c, part);
  });
}

void cached_heads(const CachedAttention& a, const Elements& out, float* work, int64_t padded,
                  int64_t begin, int64_t end) {
  for (int64_t task = begin; task < end; ++task) {
    cached_head(a, task / a.heads, task % a.heads, {work, work + padded, work + 2 * padded}, out);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {
namespace {

HWY_EXPORT(cached_heads);

}  // namespace

void cached_attention(const CachedAttention& arguments, Tensor& out) {
  constexpr int64_t kLanes = 16;  // of the widest vectors
  const auto rows = static_cast<int64_t>(arguments.row_offsets.size()) - 1;
  if (rows <= 0) return;
  require_float("cached_attention", "out", out);
  require_matrix("cached_attention", "out", out, rows, arguments.queries.columns);
  int64_t most = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const auto row = static_cast<size_t>(r);
    most = std::max<int64_t>(most, arguments.row_offsets[row + 1] - arguments.row_offsets[row]);
  }
  const int64_t dim = arguments.queries.columns / arguments.heads;
  const int64_t padded = (dim + kLanes - 1) / kLanes * kLanes;
  const int64_t floats = 2 * padded + most;
  const int64_t grain = std::max<int64_t>(1, 20000 / (dim * std::max<int64_t>(1, most)));
  parallel_for(rows * arguments.heads, grain, [&](int64_t begin, int64_t end) {
    Tensor work = Tensor::uninitialized({floats}, DType::kF32);
    HWY_DYNAMIC_DISPATCH(cached_heads)
    (arguments, elements(out), work.data<float>(), padded, begin, end);
  });
}

}  // namespace skein::kernels
#endif
