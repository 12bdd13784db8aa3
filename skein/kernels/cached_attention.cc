#include <algorithm>
#include <cmath>
#include <type_traits>

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

// Up to sixteen vectors of a head, in registers while all keys pass.
template <int kVectors, typename Lanes>
HWY_INLINE void score_keys(const CachedAttention& a, std::span<const int32_t> rows, int64_t column,
                           const Elements& query, Lanes part, float* scores) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(F()));
  FV parts[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    parts[v] = hn::Mul(set(a.scale), load(query, v * lanes, part));
  }
  for (size_t j = 0; j < rows.size(); ++j) {
    const Elements key = row_of(a.keys, rows[j], column);
    auto sum = hn::Mul(parts[0], load(key, 0, part));
    for (int v = 1; v < kVectors; ++v) {
      sum = hn::MulAdd(parts[v], load(key, v * lanes, part), sum);
    }
    scores[j] += sum_of_lanes(sum);
  }
}

template <int kVectors, typename Lanes>
HWY_INLINE void sum_values(const CachedAttention& a, std::span<const int32_t> rows, int64_t column,
                           const float* weights, float factor, Lanes part, const Elements& out) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(F()));
  FV sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = zero();
  for (size_t j = 0; j < rows.size(); ++j) {
    const Elements value = row_of(a.values, rows[j], column);
    const auto weight = set(weights[j]);
    for (int v = 0; v < kVectors; ++v) {
      sums[v] = hn::MulAdd(weight, load(value, v * lanes, part), sums[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) store(hn::Mul(set(factor), sums[v]), out, v * lanes, part);
}

// Calls body(column, vectors, lanes) for sixteen vectors of a head at a time, where there are
// registers enough, then for four, then one by one; vectors is a constant.
template <typename Body>
HWY_INLINE void for_vectors(int64_t dim, Body&& body) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(F()));
  int64_t c = 0;
  if constexpr (hn::MaxLanes(F()) >= 16) {
    for (; c + 16 * lanes <= dim; c += 16 * lanes) {
      body(c, std::integral_constant<int, 16>(), Full());
    }
  }
  for (; c + 4 * lanes <= dim; c += 4 * lanes) {
    body(c, std::integral_constant<int, 4>(), Full());
  }
  for_lanes(c, dim,
            [&](int64_t rest, auto part) { body(rest, std::integral_constant<int, 1>(), part); });
}

// weights: one float a key.
void cached_head(const CachedAttention& a, int64_t row, int64_t head, float* weights,
                 const Elements& out) {
  const int64_t dim = a.queries.columns / a.heads, column = head * dim;
  const auto first = static_cast<size_t>(a.row_offsets[static_cast<size_t>(row)]);
  const auto count = a.row_offsets[static_cast<size_t>(row) + 1] - static_cast<int64_t>(first);
  const std::span<const int32_t> rows = a.key_rows.subspan(first, static_cast<size_t>(count));
  std::fill(weights, weights + count, 0.0f);
  for_vectors(dim, [&](int64_t c, auto vectors, auto part) {
    score_keys<vectors()>(a, rows, column + c, row_of(a.queries, row, column + c), part, weights);
  });
  float highest = -INFINITY;
  for (int64_t j = 0; j < count; ++j) highest = std::max(highest, weights[j]);
  const Elements all = {reinterpret_cast<std::byte*>(weights), false};
  auto total = zero();
  for_lanes(0, count, [&](int64_t j, auto part) {
    const auto e = keep(exp(hn::Sub(load(all, j, part), set(highest))), zero(), part);
    total = hn::Add(total, e);
    store(e, all, j, part);
  });
  const float inverse = count > 0 ? 1 / sum_of_lanes(total) : 0;
  const Elements result = out.from(row * a.queries.columns + column);
  for_vectors(dim, [&](int64_t c, auto vectors, auto part) {
    sum_values<vectors()>(a, rows, column + c, weights, inverse, part, result.from(c));
  });
}

void cached_heads(const CachedAttention& a, const Elements& out, float* weights, int64_t begin,
                  int64_t end) {
  for (int64_t task = begin; task < end; ++task) {
    cached_head(a, task / a.heads, task % a.heads, weights, out);
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
  const int64_t grain = std::max<int64_t>(1, 20000 / (dim * std::max<int64_t>(1, most)));
  parallel_for(rows * arguments.heads, grain, [&](int64_t begin, int64_t end) {
    Tensor weights = Tensor::uninitialized({most}, DType::kF32);
    HWY_DYNAMIC_DISPATCH(cached_heads)
    (arguments, elements(out), weights.data<float>(), begin, end);
  });
}

}  // namespace skein::kernels
#endif
