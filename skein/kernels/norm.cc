#include "skein/kernels/norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/norm.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/simd-inl.h"

#ifndef SKEIN_KERNELS_NORM_ROWS_
#define SKEIN_KERNELS_NORM_ROWS_
namespace skein::kernels {
namespace {

// The tensors of a call, as the vectorised part sees them.
struct ForwardRows {
  int64_t columns;
  Elements x, residual, gain, bias, sum, y;
  float *mean, *inverse_std;
  float epsilon;
  DropoutKeys keys;
  bool masked;
};
struct BackwardRows {
  int64_t columns;
  Elements sum, gain, dy, extra, d_sum, d_x;
  const float *mean, *inverse_std;
  DropoutKeys keys;
  bool masked;
};
// Sums over the rows of a chunk, [columns] each.
struct ColumnSums {
  float *gain, *bias, *d_x;
};

inline Elements floats(float* values) { return {reinterpret_cast<std::byte*>(values), false}; }

}  // namespace
}  // namespace skein::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

// The value that a tensor of this type would give back.
HWY_INLINE FV stored(FV value, const Elements& e) {
  return e.half ? from_half(to_half(value)) : value;
}

void normalise_rows(const ForwardRows& f, float* row, int64_t begin, int64_t end) {
  const Elements buffer = floats(row);
  const auto count = static_cast<float>(f.columns);
  for (int64_t r = begin; r < end; ++r) {
    const int64_t base = r * f.columns;
    auto total = zero();
    for_lanes(0, f.columns, [&](int64_t c, auto lanes) {
      auto value = load(f.x, base + c, lanes);
      if (f.masked) value = hn::Mul(value, dropout_factors(f.keys, base + c));
      if (f.residual) value = hn::Add(value, load(f.residual, base + c, lanes));
      if (f.sum) {
        value = stored(value, f.sum);
        store(value, f.sum, base + c, lanes);
      }
      store(value, buffer, c, lanes);
      total = hn::Add(total, value);
    });
    const float mean = sum_of_lanes(total) / count;
    auto squares = zero();
    for_lanes(0, f.columns, [&](int64_t c, auto lanes) {
      const auto distance = keep(hn::Sub(load(buffer, c, lanes), set(mean)), zero(), lanes);
      squares = hn::MulAdd(distance, distance, squares);
    });
    const float inverse = 1 / std::sqrt(sum_of_lanes(squares) / count + f.epsilon);
    for_lanes(0, f.columns, [&](int64_t c, auto lanes) {
      const auto normal = hn::Mul(hn::Sub(load(buffer, c, lanes), set(mean)), set(inverse));
      const auto y = hn::MulAdd(normal, load(f.gain, c, lanes), load(f.bias, c, lanes));
      store(y, f.y, base + c, lanes);
    });
    f.mean[r] = mean;
    f.inverse_std[r] = inverse;
  }
}

// `rows`: two rows of floats to work in.
void gradient_rows(const BackwardRows& b, const ColumnSums& sums, float* rows, int64_t begin,
                   int64_t end) {
  const Elements normals = floats(rows), scaled = floats(rows + b.columns);
  const Elements gain_sums = floats(sums.gain), bias_sums = floats(sums.bias);
  const Elements d_x_sums = floats(sums.d_x);
  const float share = 1 / static_cast<float>(b.columns);
  for (int64_t r = begin; r < end; ++r) {
    const int64_t base = r * b.columns;
    const auto mean = set(b.mean[r]), inverse = set(b.inverse_std[r]);
    auto total = zero(), total_normal = zero();
    for_lanes(0, b.columns, [&](int64_t c, auto lanes) {
      const auto dy = load(b.dy, base + c, lanes);
      const auto normal = hn::Mul(hn::Sub(load(b.sum, base + c, lanes), mean), inverse);
      const auto d = hn::Mul(dy, load(b.gain, c, lanes));
      total = hn::Add(total, d);
      total_normal = hn::MulAdd(d, normal, total_normal);
      store(normal, normals, c, lanes);
      store(d, scaled, c, lanes);
      if (!gain_sums) return;
      store(hn::MulAdd(dy, normal, load(gain_sums, c, lanes)), gain_sums, c, lanes);
      store(hn::Add(dy, load(bias_sums, c, lanes)), bias_sums, c, lanes);
    });
    const auto mean_d = set(sum_of_lanes(total) * share);
    const auto mean_normal = set(sum_of_lanes(total_normal) * share);
    for_lanes(0, b.columns, [&](int64_t c, auto lanes) {
      const auto centred = hn::Sub(load(scaled, c, lanes), mean_d);
      auto d = hn::Mul(inverse, hn::NegMulAdd(load(normals, c, lanes), mean_normal, centred));
      if (b.extra) d = hn::Add(d, load(b.extra, base + c, lanes));
      store(d, b.d_sum, base + c, lanes);
      if (b.masked) d = hn::Mul(d, dropout_factors(b.keys, base + c));
      if (b.d_x) store(d, b.d_x, base + c, lanes);
      if (d_x_sums) store(hn::Add(d, load(d_x_sums, c, lanes)), d_x_sums, c, lanes);
    });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {
namespace {

HWY_EXPORT(normalise_rows);
HWY_EXPORT(gradient_rows);

constexpr int64_t kGrain = 8;
// Rows whose column sums are made together, by one thread.
constexpr int64_t kChunk = 128;

void require_optional(std::string_view kernel, std::string_view name, const Tensor& tensor,
                      const Tensor& like) {
  if (!tensor.defined()) return;
  require_float(kernel, name, tensor);
  require_matrix(kernel, name, tensor, like.rows(), like.columns());
}

void require_columns(std::string_view kernel, std::string_view name, const Tensor& tensor,
                     int64_t columns) {
  require_type(kernel, name, tensor, DType::kF32);
  require_elements(kernel, name, tensor, columns);
}

void require_forward(const NormForward& a) {
  require_float("layer_norm", "x", a.x);
  require_float("layer_norm", "y", a.y);
  require_optional("layer_norm", "y", a.y, a.x);
  require_optional("layer_norm", "residual", a.residual, a.x);
  require_optional("layer_norm", "sum", a.sum, a.x);
  require_columns("layer_norm", "gain", a.gain, a.x.columns());
  require_columns("layer_norm", "bias", a.bias, a.x.columns());
  require_probability("layer_norm", a.dropout.probability);
  if (a.residual.defined() || a.dropout.probability > 0) {
    require_float("layer_norm", "sum", a.sum);
  }
}

void require_backward(const NormBackward& a) {
  constexpr std::string_view kName = "layer_norm_gradient";
  require_float(kName, "sum", a.sum);
  require_float(kName, "dy", a.dy);
  require_float(kName, "d_sum", a.d_sum);
  require_optional(kName, "dy", a.dy, a.sum);
  require_optional(kName, "d_sum", a.d_sum, a.sum);
  require_optional(kName, "d_sum_extra", a.d_sum_extra, a.sum);
  require_optional(kName, "d_x", a.d_x, a.sum);
  require_columns(kName, "gain", a.gain, a.sum.columns());
  require_columns(kName, "mean", a.statistics.mean, a.sum.rows());
  require_columns(kName, "inverse_std", a.statistics.inverse_std, a.sum.rows());
  require_probability(kName, a.dropout.probability);
  if (a.dropout.probability > 0) require_float(kName, "d_x", a.d_x);
  if (a.d_gain.defined() || a.d_bias.defined()) {
    require_columns(kName, "d_gain", a.d_gain, a.sum.columns());
    require_columns(kName, "d_bias", a.d_bias, a.sum.columns());
  }
  if (a.d_x_bias != nullptr) require_columns(kName, "d_x_bias", *a.d_x_bias, a.sum.columns());
}

// into [columns] (+)= the sum of every `stride`-th row of `parts`, in order.
void add_parts(const std::vector<float>& parts, size_t first, size_t stride, Tensor& into,
               bool accumulate) {
  if (!accumulate) into.fill_zero();
  const auto columns = static_cast<size_t>(into.elements());
  float* sums = into.data<float>();
  for (size_t row = first; (row + 1) * columns <= parts.size(); row += stride) {
    for (size_t c = 0; c < columns; ++c) sums[c] += parts[row * columns + c];
  }
}

}  // namespace

void layer_norm(const NormForward& a) {
  require_forward(a);
  const int64_t rows = a.x.rows();
  a.statistics.mean = Tensor::uninitialized({rows}, DType::kF32);
  a.statistics.inverse_std = Tensor::uninitialized({rows}, DType::kF32);
  const ForwardRows forward = {.columns = a.x.columns(),
                               .x = elements(a.x),
                               .residual = elements(a.residual),
                               .gain = elements(a.gain),
                               .bias = elements(a.bias),
                               .sum = elements(a.sum),
                               .y = elements(a.y),
                               .mean = a.statistics.mean.data<float>(),
                               .inverse_std = a.statistics.inverse_std.data<float>(),
                               .epsilon = a.epsilon,
                               .keys = dropout_keys(a.dropout),
                               .masked = a.dropout.probability > 0};
  parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
    std::vector<float> row(static_cast<size_t>(forward.columns));
    HWY_DYNAMIC_DISPATCH(normalise_rows)(forward, row.data(), begin, end);
  });
}

void layer_norm_gradient(const NormBackward& a) {
  require_backward(a);
  const BackwardRows backward = {.columns = a.sum.columns(),
                                 .sum = elements(a.sum),
                                 .gain = elements(a.gain),
                                 .dy = elements(a.dy),
                                 .extra = elements(a.d_sum_extra),
                                 .d_sum = elements(a.d_sum),
                                 .d_x = elements(a.d_x),
                                 .mean = a.statistics.mean.data<float>(),
                                 .inverse_std = a.statistics.inverse_std.data<float>(),
                                 .keys = dropout_keys(a.dropout),
                                 .masked = a.dropout.probability > 0};
  const int64_t rows = a.sum.rows(), columns = a.sum.columns();
  const int64_t chunks = (rows + kChunk - 1) / kChunk;
  std::vector<float> parts(static_cast<size_t>(3 * chunks * columns));
  parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> work(static_cast<size_t>(2 * columns));
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      float* sums = parts.data() + 3 * chunk * columns;
      const ColumnSums column_sums = {.gain = a.d_gain.defined() ? sums : nullptr,
                                      .bias = sums + columns,
                                      .d_x = a.d_x_bias != nullptr ? sums + 2 * columns : nullptr};
      HWY_DYNAMIC_DISPATCH(gradient_rows)
      (backward, column_sums, work.data(), chunk * kChunk, std::min(rows, (chunk + 1) * kChunk));
    }
  });
  if (a.d_gain.defined()) {
    add_parts(parts, 0, 3, a.d_gain, a.accumulate);
    add_parts(parts, 1, 3, a.d_bias, a.accumulate);
  }
  if (a.d_x_bias != nullptr) add_parts(parts, 2, 3, *a.d_x_bias, true);
}

}  // namespace skein::kernels
#endif
