#include "skein/kernels/weight_norm.h"

#include <algorithm>
#include <cmath>

#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/weight_norm.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/simd-inl.h"

#ifndef SKEIN_KERNELS_WEIGHT_NORM_ROWS_
#define SKEIN_KERNELS_WEIGHT_NORM_ROWS_
namespace skein::kernels {
namespace {

struct NormedRows {
  Elements direction, weight;
  const float* length;
  float* inverse_norms;
  int64_t columns;
};
struct NormedRowsGradient {
  Elements direction, d_weight, d_direction;
  const float* length;
  const float* inverse_norms;
  float* d_length;  // may be null
  int64_t columns;
  bool accumulate_direction, accumulate_length;
};

}  // namespace
}  // namespace skein::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE float dot(const Elements& a, const Elements& b, int64_t columns) {
  auto sum = zero();
  for_lanes(0, columns, [&](int64_t c, auto lanes) {
    sum = hn::MulAdd(load(a, c, lanes), load(b, c, lanes), sum);
  });
  return sum_of_lanes(sum);
}

void norm_rows(const NormedRows& rows, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r) {
    const Elements direction = rows.direction.from(r * rows.columns);
    const Elements weight = rows.weight.from(r * rows.columns);
    const float square = dot(direction, direction, rows.columns);
    rows.inverse_norms[r] = square > 0 ? 1 / std::sqrt(square) : 0;
    const auto factor = set(rows.length[r] * rows.inverse_norms[r]);
    for_lanes(0, rows.columns, [&](int64_t c, auto lanes) {
      store(hn::Mul(factor, load(direction, c, lanes)), weight, c, lanes);
    });
  }
}

void norm_rows_gradient(const NormedRowsGradient& rows, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r) {
    const Elements direction = rows.direction.from(r * rows.columns);
    const Elements d_weight = rows.d_weight.from(r * rows.columns);
    const float inverse = rows.inverse_norms[r];
    const float along = inverse * dot(direction, d_weight, rows.columns);
    if (rows.d_length != nullptr) {
      rows.d_length[r] = rows.accumulate_length ? rows.d_length[r] + along : along;
    }
    if (!rows.d_direction) continue;
    const Elements d_direction = rows.d_direction.from(r * rows.columns);
    const auto factor = set(rows.length[r] * inverse), component = set(along * inverse);
    for_lanes(0, rows.columns, [&](int64_t c, auto lanes) {
      auto d = hn::Mul(
          factor, hn::NegMulAdd(component, load(direction, c, lanes), load(d_weight, c, lanes)));
      if (rows.accumulate_direction) d = hn::Add(d, load(d_direction, c, lanes));
      store(d, d_direction, c, lanes);
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

HWY_EXPORT(norm_rows);
HWY_EXPORT(norm_rows_gradient);

constexpr int64_t kGrain = 16384;

int64_t rows_per_thread(int64_t columns) {
  return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, columns));
}

void require_parameters(std::string_view kernel, const Tensor& direction, const Tensor& length,
                        const Tensor& inverse_norms) {
  require_type(kernel, "direction", direction, DType::kF32);
  require_type(kernel, "length", length, DType::kF32);
  require_elements(kernel, "length", length, direction.rows());
  require_type(kernel, "inverse_norms", inverse_norms, DType::kF32);
  require_elements(kernel, "inverse_norms", inverse_norms, direction.rows());
}

}  // namespace

void weight_norm(const Tensor& direction, const Tensor& length, Tensor& weight,
                 Tensor& inverse_norms) {
  require_parameters("weight_norm", direction, length, inverse_norms);
  require_float("weight_norm", "weight", weight);
  require_matrix("weight_norm", "weight", weight, direction.rows(), direction.columns());
  const NormedRows rows = {.direction = elements(direction),
                           .weight = elements(weight),
                           .length = length.data<float>(),
                           .inverse_norms = inverse_norms.data<float>(),
                           .columns = direction.columns()};
  parallel_for(direction.rows(), rows_per_thread(rows.columns), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(norm_rows)(rows, begin, end);
  });
}

void weight_norm_gradient(const WeightNormGradient& a) {
  require_parameters("weight_norm_gradient", a.direction, a.length, a.inverse_norms);
  const int64_t outputs = a.direction.rows(), columns = a.direction.columns();
  require_float("weight_norm_gradient", "d_weight", a.d_weight);
  require_matrix("weight_norm_gradient", "d_weight", a.d_weight, outputs, columns);
  if (a.d_direction.defined()) {
    require_type("weight_norm_gradient", "d_direction", a.d_direction, DType::kF32);
    require_matrix("weight_norm_gradient", "d_direction", a.d_direction, outputs, columns);
  }
  if (a.d_length.defined()) {
    require_type("weight_norm_gradient", "d_length", a.d_length, DType::kF32);
    require_elements("weight_norm_gradient", "d_length", a.d_length, outputs);
  }
  const NormedRowsGradient rows = {
      .direction = elements(a.direction),
      .d_weight = elements(a.d_weight),
      .d_direction = elements(a.d_direction),
      .length = a.length.data<float>(),
      .inverse_norms = a.inverse_norms.data<float>(),
      .d_length = a.d_length.defined() ? a.d_length.data<float>() : nullptr,
      .columns = columns,
      .accumulate_direction = a.accumulate_direction,
      .accumulate_length = a.accumulate_length};
  parallel_for(outputs, rows_per_thread(columns), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(norm_rows_gradient)(rows, begin, end);
  });
}

}  // namespace skein::kernels
#endif
