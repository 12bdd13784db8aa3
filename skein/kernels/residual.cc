#include "skein/kernels/residual.h"

#include <algorithm>

#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/residual.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

void scaled_sum_range(float factor, Elements a, Elements b, Elements out, int64_t begin,
                      int64_t end) {
  for_lanes(begin, end, [&](int64_t i, auto lanes) {
    auto sum = load(a, i, lanes);
    if (b) sum = hn::Add(sum, load(b, i, lanes));
    store(hn::Mul(set(factor), sum), out, i, lanes);
  });
}

void gated_sum_rows(float factor, Elements x, Elements residual, Elements out, int64_t columns,
                    int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r) {
    const Elements values = x.from(2 * r * columns), gates = x.from((2 * r + 1) * columns);
    for_lanes(0, columns, [&](int64_t c, auto lanes) {
      auto sum = hn::Mul(load(values, c, lanes), sigmoid(load(gates, c, lanes)));
      if (residual) sum = hn::Add(sum, load(residual, r * columns + c, lanes));
      store(hn::Mul(set(factor), sum), out, r * columns + c, lanes);
    });
  }
}

void gated_sum_gradient_rows(float factor, Elements x, Elements dy, Elements dx,
                             Elements d_residual, int64_t columns, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r) {
    const Elements values = x.from(2 * r * columns), gates = x.from((2 * r + 1) * columns);
    const Elements d_values = dx.from(2 * r * columns), d_gates = dx.from((2 * r + 1) * columns);
    for_lanes(0, columns, [&](int64_t c, auto lanes) {
      const auto gate = sigmoid(load(gates, c, lanes));
      const auto d_sum = hn::Mul(set(factor), load(dy, r * columns + c, lanes));
      if (d_residual) store(d_sum, d_residual, r * columns + c, lanes);
      const auto d_value = hn::Mul(d_sum, gate);
      store(d_value, d_values, c, lanes);
      const auto slope = hn::Mul(load(values, c, lanes), hn::Sub(set(1), gate));
      store(hn::Mul(d_value, slope), d_gates, c, lanes);
    });
  }
}

void scale_rows_range(const float* factors, Elements x, Elements out, int64_t columns,
                      int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r) {
    for_lanes(r * columns, (r + 1) * columns, [&](int64_t i, auto lanes) {
      store(hn::Mul(set(factors[r]), load(x, i, lanes)), out, i, lanes);
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

HWY_EXPORT(scaled_sum_range);
HWY_EXPORT(gated_sum_rows);
HWY_EXPORT(gated_sum_gradient_rows);
HWY_EXPORT(scale_rows_range);

constexpr int64_t kGrain = 8192;

int64_t rows_per_thread(int64_t columns) {
  return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, columns));
}

}  // namespace

void scaled_sum(float factor, const Tensor& a, const Tensor& b, Tensor& out) {
  require_float("scaled_sum", "a", a);
  require_float("scaled_sum", "out", out);
  if (b.defined()) {
    require_float("scaled_sum", "b", b);
    require_matrix("scaled_sum", "b", b, a.rows(), a.columns());
  }
  require_matrix("scaled_sum", "out", out, a.rows(), a.columns());
  parallel_for(a.elements(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(scaled_sum_range)
    (factor, elements(a), elements(b), elements(out), begin, end);
  });
}

void gated_sum(float factor, const Tensor& x, const Tensor& residual, Tensor& out) {
  require_float("gated_sum", "x", x);
  require_float("gated_sum", "out", out);
  const int64_t rows = out.rows(), columns = out.columns();
  require_matrix("gated_sum", "x", x, rows, 2 * columns);
  if (residual.defined()) {
    require_float("gated_sum", "residual", residual);
    require_matrix("gated_sum", "residual", residual, rows, columns);
  }
  parallel_for(rows, rows_per_thread(columns), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(gated_sum_rows)
    (factor, elements(x), elements(residual), elements(out), columns, begin, end);
  });
}

void gated_sum_gradient(float factor, const Tensor& x, const Tensor& dy, Tensor& dx,
                        Tensor& d_residual) {
  require_float("gated_sum_gradient", "x", x);
  require_float("gated_sum_gradient", "dy", dy);
  require_float("gated_sum_gradient", "dx", dx);
  const int64_t rows = dy.rows(), columns = dy.columns();
  require_matrix("gated_sum_gradient", "x", x, rows, 2 * columns);
  require_matrix("gated_sum_gradient", "dx", dx, rows, 2 * columns);
  if (d_residual.defined()) {
    require_float("gated_sum_gradient", "d_residual", d_residual);
    require_matrix("gated_sum_gradient", "d_residual", d_residual, rows, columns);
  }
  parallel_for(rows, rows_per_thread(columns), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(gated_sum_gradient_rows)
    (factor, elements(x), elements(dy), elements(dx), elements(d_residual), columns, begin, end);
  });
}

void scale_rows(const Tensor& factors, const Tensor& x, Tensor& out) {
  require_float("scale_rows", "x", x);
  require_float("scale_rows", "out", out);
  require_type("scale_rows", "factors", factors, DType::kF32);
  require_elements("scale_rows", "factors", factors, x.rows());
  require_matrix("scale_rows", "out", out, x.rows(), x.columns());
  parallel_for(x.rows(), rows_per_thread(x.columns()), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(scale_rows_range)
    (factors.data<float>(), elements(x), elements(out), x.columns(), begin, end);
  });
}

}  // namespace skein::kernels
#endif
