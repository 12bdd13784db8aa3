#include "skein/kernels/light_convolution.h"

#include <fmt/format.h>

#include <algorithm>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/light_convolution.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/simd-inl.h"

#ifndef SKEIN_KERNELS_LIGHT_CONVOLUTION_ROWS_
#define SKEIN_KERNELS_LIGHT_CONVOLUTION_ROWS_
namespace skein::kernels {
namespace {

// One row of the result: out[i] = sum over taps k of weights[head, k] * in[row of tap k, i].
struct LightRow {
  Elements weights;
  int64_t weight = 0;       // element of the first head's first tap
  int64_t weight_step = 1;  // elements from tap to tap
  int64_t head_step = 0;    // elements from head to head
  Elements in;
  int64_t first = 0;  // element of the first tap's row, which may lie outside
  int64_t columns = 0;
  int64_t heads = 1;
  int64_t from = 0, to = 0;  // the taps within the sentence
};
struct LightRows {
  std::span<const int32_t> offsets;
  Elements weights, in, out;
  int64_t weight_row;  // elements from row to row; 0: all share one
  int64_t columns, heads, width, left;
  bool accumulate;
};
struct LightWeightRows {
  std::span<const int32_t> offsets;
  Elements x, dy, d_weights;
  int64_t columns, heads, width, left;
};

}  // namespace
}  // namespace skein::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE float scalar(const Elements& e, int64_t index) {
  if (!e.half) return reinterpret_cast<const float*>(e.data)[index];
  return static_cast<float>(reinterpret_cast<const BFloat16*>(e.data)[index]);
}

// The sums of four vectors of channels from `column` on.
HWY_INLINE void four_vectors(const LightRow& row, int64_t weight, int64_t column,
                             const Elements& out, int64_t to, bool accumulate) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(F()));
  auto a = zero(), b = zero(), c = zero(), d = zero();
  for (int64_t k = row.from; k < row.to; ++k) {
    const auto w = set(scalar(row.weights, weight + k * row.weight_step));
    const int64_t index = row.first + k * row.columns + column;
    a = hn::MulAdd(w, load(row.in, index, Full()), a);
    b = hn::MulAdd(w, load(row.in, index + lanes, Full()), b);
    c = hn::MulAdd(w, load(row.in, index + 2 * lanes, Full()), c);
    d = hn::MulAdd(w, load(row.in, index + 3 * lanes, Full()), d);
  }
  const auto put = [&](FV sum, int64_t index) {
    if (accumulate) sum = hn::Add(sum, load(out, index, Full()));
    store(sum, out, index, Full());
  };
  put(a, to);
  put(b, to + lanes);
  put(c, to + 2 * lanes);
  put(d, to + 3 * lanes);
}

// out[to ..] = or += the row.
HWY_INLINE void light_row(const LightRow& row, const Elements& out, int64_t to, bool accumulate) {
  const auto block = 4 * static_cast<int64_t>(hn::Lanes(F()));
  const int64_t channels = row.columns / row.heads;
  for (int64_t head = 0; head < row.heads; ++head) {
    const int64_t weight = row.weight + head * row.head_step;
    int64_t column = head * channels;
    const int64_t last = column + channels;
    for (; column + block <= last; column += block) {
      four_vectors(row, weight, column, out, to + column, accumulate);
    }
    for_lanes(column, last, [&](int64_t i, auto lanes) {
      auto sum = zero();
      for (int64_t k = row.from; k < row.to; ++k) {
        const auto w = set(scalar(row.weights, weight + k * row.weight_step));
        sum = hn::MulAdd(w, load(row.in, row.first + k * row.columns + i, lanes), sum);
      }
      if (accumulate) sum = hn::Add(sum, load(out, to + i, lanes));
      store(sum, out, to + i, lanes);
    });
  }
}

void light_rows(const LightRows& r, int64_t begin, int64_t end) {
  auto sentence = std::upper_bound(r.offsets.begin(), r.offsets.end(), begin);
  for (int64_t t = begin; t < end; ++t) {
    while (*sentence <= t) ++sentence;
    const int64_t start = t - r.left;
    const LightRow row = {.weights = r.weights,
                          .weight = t * r.weight_row,
                          .head_step = r.width,
                          .in = r.in,
                          .first = start * r.columns,
                          .columns = r.columns,
                          .heads = r.heads,
                          .from = std::max<int64_t>(0, *(sentence - 1) - start),
                          .to = std::min<int64_t>(r.width, *sentence - start)};
    light_row(row, r.out, t * r.columns, r.accumulate);
  }
}

// Row s is tap k of the window of row s + left - k: backwards through the weights of those rows.
void light_gradient_rows(const LightRows& r, int64_t begin, int64_t end) {
  auto sentence = std::upper_bound(r.offsets.begin(), r.offsets.end(), begin);
  for (int64_t s = begin; s < end; ++s) {
    while (*sentence <= s) ++sentence;
    const int64_t start = s + r.left - (r.width - 1);
    const LightRow row = {.weights = r.weights,
                          .weight = start * r.weight_row + r.width - 1,
                          .weight_step = r.weight_row - 1,
                          .head_step = r.width,
                          .in = r.in,
                          .first = start * r.columns,
                          .columns = r.columns,
                          .heads = r.heads,
                          .from = std::max<int64_t>(0, *(sentence - 1) - start),
                          .to = std::min<int64_t>(r.width, *sentence - start)};
    light_row(row, r.out, s * r.columns, r.accumulate);
  }
}

void light_window_rows(const LightRows& r, int64_t begin, int64_t end) {
  for (int64_t t = begin; t < end; ++t) {
    const LightRow row = {.weights = r.weights,
                          .weight = t * r.weight_row,
                          .head_step = r.width,
                          .in = r.in,
                          .first = t * r.width * r.columns,
                          .columns = r.columns,
                          .heads = r.heads,
                          .to = r.width};
    light_row(row, r.out, t * r.columns, false);
  }
}

// The sum over rows [begin, end) into row `to` of d_weights.
void light_weight_rows(const LightWeightRows& r, int64_t begin, int64_t end, int64_t to) {
  const int64_t channels = r.columns / r.heads;
  float* const sums = reinterpret_cast<float*>(r.d_weights.data) + to * r.heads * r.width;
  std::fill(sums, sums + r.heads * r.width, 0.0f);
  auto sentence = std::upper_bound(r.offsets.begin(), r.offsets.end(), begin);
  for (int64_t t = begin; t < end; ++t) {
    while (*sentence <= t) ++sentence;
    const int64_t start = t - r.left;
    const int64_t from = std::max<int64_t>(0, *(sentence - 1) - start);
    const int64_t last = std::min<int64_t>(r.width, *sentence - start);
    for (int64_t head = 0; head < r.heads; ++head) {
      const Elements dy = r.dy.from(t * r.columns + head * channels);
      for (int64_t k = from; k < last; ++k) {
        const Elements x = r.x.from((start + k) * r.columns + head * channels);
        auto sum = zero();
        for_lanes(0, channels, [&](int64_t i, auto lanes) {
          sum = hn::MulAdd(load(dy, i, lanes), load(x, i, lanes), sum);
        });
        sums[head * r.width + k] += sum_of_lanes(sum);
      }
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {
namespace {

HWY_EXPORT(light_rows);
HWY_EXPORT(light_gradient_rows);
HWY_EXPORT(light_window_rows);
HWY_EXPORT(light_weight_rows);

// Multiply-adds that are worth a thread.
constexpr int64_t kWorkPerThread = 32768;

int64_t rows_per_thread(int64_t width, int64_t columns) {
  return std::max<int64_t>(1, kWorkPerThread / std::max<int64_t>(1, width * columns));
}

void require_heads(std::string_view kernel, int64_t heads, int64_t columns) {
  if (heads >= 1 && columns % heads == 0) return;
  throw ShapeError(
      fmt::format("{}: {} channels are not divided into {} heads", kernel, columns, heads));
}

// Elements from a row of weights to the next.
int64_t require_weights(std::string_view kernel, const Tensor& weights, int64_t rows,
                        int64_t columns) {
  require_float(kernel, "weights", weights);
  const bool shared = weights.rows() == 1;
  require_matrix(kernel, "weights", weights, shared ? 1 : rows, columns);
  return shared ? 0 : columns;
}

LightRows require_rows(std::string_view kernel, const LightWindow& w, const Tensor& weights,
                       const Tensor& in, Tensor& out) {
  require_float(kernel, "in", in);
  require_float(kernel, "out", out);
  require_matrix(kernel, "out", out, in.rows(), in.columns());
  require_window(kernel, w.window, in.rows());
  require_heads(kernel, w.heads, in.columns());
  return {.offsets = w.window.offsets,
          .weights = elements(weights),
          .in = elements(in),
          .out = elements(out),
          .weight_row = require_weights(kernel, weights, in.rows(), w.heads * w.window.width),
          .columns = in.columns(),
          .heads = w.heads,
          .width = w.window.width,
          .left = w.window.left,
          .accumulate = false};
}

}  // namespace

void light_convolution(const LightWindow& window, const Tensor& weights, const Tensor& x,
                       Tensor& y) {
  const LightRows rows = require_rows("light_convolution", window, weights, x, y);
  parallel_for(x.rows(), rows_per_thread(rows.width, rows.columns),
               [&](int64_t begin, int64_t end) {
                 HWY_DYNAMIC_DISPATCH(light_rows)(rows, begin, end);
               });
}

void light_convolution_input_gradient(const LightWindow& window, const Tensor& weights,
                                      const Tensor& dy, Tensor& dx, bool accumulate) {
  LightRows rows = require_rows("light_convolution_input_gradient", window, weights, dy, dx);
  rows.accumulate = accumulate;
  parallel_for(dy.rows(), rows_per_thread(rows.width, rows.columns),
               [&](int64_t begin, int64_t end) {
                 HWY_DYNAMIC_DISPATCH(light_gradient_rows)(rows, begin, end);
               });
}

void light_convolution_weight_gradient(const LightWindow& window, int64_t rows, const Tensor& x,
                                       const Tensor& dy, Tensor& d_weights) {
  const char* kernel = "light_convolution_weight_gradient";
  require_float(kernel, "x", x);
  require_float(kernel, "dy", dy);
  require_matrix(kernel, "dy", dy, x.rows(), x.columns());
  require_window(kernel, window.window, x.rows());
  require_heads(kernel, window.heads, x.columns());
  require_type(kernel, "d_weights", d_weights, DType::kF32);
  const int64_t sums = (x.rows() + rows - 1) / rows;
  require_matrix(kernel, "d_weights", d_weights, sums, window.heads * window.window.width);
  const LightWeightRows all = {.offsets = window.window.offsets,
                               .x = elements(x),
                               .dy = elements(dy),
                               .d_weights = elements(d_weights),
                               .columns = x.columns(),
                               .heads = window.heads,
                               .width = window.window.width,
                               .left = window.window.left};
  parallel_for(sums, rows_per_thread(all.width, rows * all.columns),
               [&](int64_t begin, int64_t end) {
                 for (int64_t sum = begin; sum < end; ++sum) {
                   HWY_DYNAMIC_DISPATCH(light_weight_rows)
                   (all, sum * rows, std::min(x.rows(), (sum + 1) * rows), sum);
                 }
               });
}

void light_convolution_of_windows(int64_t heads, const Tensor& weights, const Tensor& windows,
                                  Tensor& y) {
  const char* kernel = "light_convolution_of_windows";
  require_float(kernel, "windows", windows);
  require_float(kernel, "y", y);
  const int64_t columns = y.columns();
  require_heads(kernel, heads, columns);
  const int64_t width = heads == 0 ? 0 : weights.columns() / heads;
  require_matrix(kernel, "windows", windows, y.rows(), width * columns);
  const LightRows rows = {.offsets = {},
                          .weights = elements(weights),
                          .in = elements(windows),
                          .out = elements(y),
                          .weight_row = require_weights(kernel, weights, y.rows(), heads * width),
                          .columns = columns,
                          .heads = heads,
                          .width = width,
                          .left = 0,
                          .accumulate = false};
  parallel_for(y.rows(), rows_per_thread(width, columns), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(light_window_rows)(rows, begin, end);
  });
}

}  // namespace skein::kernels
#endif
