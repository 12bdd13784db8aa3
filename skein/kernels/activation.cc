#include "skein/kernels/activation.h"

#include <algorithm>

#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/activation.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {

struct Identity {
  FV value(FV x) const { return x; }
  FV derivative(FV) const { return set(1); }
};
struct Relu {
  FV value(FV x) const { return at_least(0, x); }
  FV derivative(FV x) const { return hn::IfThenElseZero(hn::Gt(x, zero()), set(1)); }
};
struct Gelu {
  FV value(FV x) const { return hn::Mul(x, normal_cdf(x)); }
  FV derivative(FV x) const { return hn::MulAdd(x, normal_density(x), normal_cdf(x)); }
};
struct Silu {
  FV value(FV x) const { return hn::Mul(x, sigmoid(x)); }
  FV derivative(FV x) const {
    const auto s = sigmoid(x);
    return hn::Mul(s, hn::MulAdd(x, hn::Sub(set(1), s), set(1)));
  }
};
struct Sigmoid {
  FV value(FV x) const { return sigmoid(x); }
  FV derivative(FV x) const {
    const auto s = sigmoid(x);
    return hn::Mul(s, hn::Sub(set(1), s));
  }
};

template <typename Body>
HWY_INLINE void with(Activation kind, Body&& body) {
  switch (kind) {
    case Activation::kNone:
      return body(Identity());
    case Activation::kRelu:
      return body(Relu());
    case Activation::kGelu:
      return body(Gelu());
    case Activation::kSilu:
      return body(Silu());
  }
}
template <typename Body>
HWY_INLINE void with(Gate gate, Body&& body) {
  switch (gate) {
    case Gate::kSigmoid:
      return body(Sigmoid());
    case Gate::kGelu:
      return body(Gelu());
    case Gate::kSilu:
      return body(Silu());
  }
}

void activation_range(Activation kind, Elements x, Elements out, int64_t begin, int64_t end) {
  with(kind, [&](auto f) {
    for_lanes(begin, end,
              [&](int64_t i, auto lanes) { store(f.value(load(x, i, lanes)), out, i, lanes); });
  });
}

void activation_gradient_range(Activation kind, Elements x, Elements dy, Elements dx, int64_t begin,
                               int64_t end) {
  with(kind, [&](auto f) {
    for_lanes(begin, end, [&](int64_t i, auto lanes) {
      store(hn::Mul(load(dy, i, lanes), f.derivative(load(x, i, lanes))), dx, i, lanes);
    });
  });
}

// Columns [begin, end) of every row; sums[c] += the sum of dx over the rows.
void activation_gradient_columns(Activation kind, Elements x, Elements dy, Elements dx,
                                 int64_t rows, int64_t columns, float* sums, int64_t begin,
                                 int64_t end) {
  constexpr int64_t kRows = 8;  // summed in registers before the sums are touched
  const Elements total = {reinterpret_cast<std::byte*>(sums), false};
  with(kind, [&](auto f) {
    for (int64_t first = 0; first < rows; first += kRows) {
      const int64_t last = std::min(first + kRows, rows);
      for_lanes(begin, end, [&](int64_t c, auto lanes) {
        auto sum = load(total, c, lanes);
        for (int64_t i = first * columns + c; i < last * columns; i += columns) {
          const auto d = hn::Mul(load(dy, i, lanes), f.derivative(load(x, i, lanes)));
          store(d, dx, i, lanes);
          sum = hn::Add(sum, d);
        }
        store(sum, total, c, lanes);
      });
    }
  });
}

void glu_rows(Gate gate, Elements x, Elements out, int64_t columns, int64_t begin, int64_t end) {
  with(gate, [&](auto f) {
    for (int64_t r = begin; r < end; ++r) {
      const Elements values = x.from(2 * r * columns), gates = x.from((2 * r + 1) * columns);
      const Elements row = out.from(r * columns);
      for_lanes(0, columns, [&](int64_t c, auto lanes) {
        store(hn::Mul(load(values, c, lanes), f.value(load(gates, c, lanes))), row, c, lanes);
      });
    }
  });
}

void glu_gradient_rows(Gate gate, Elements x, Elements dy, Elements dx, int64_t columns,
                       int64_t begin, int64_t end) {
  with(gate, [&](auto f) {
    for (int64_t r = begin; r < end; ++r) {
      const Elements values = x.from(2 * r * columns), gates = x.from((2 * r + 1) * columns);
      const Elements d_values = dx.from(2 * r * columns), d_gates = dx.from((2 * r + 1) * columns);
      const Elements row = dy.from(r * columns);
      for_lanes(0, columns, [&](int64_t c, auto lanes) {
        const auto d = load(row, c, lanes), g = load(gates, c, lanes);
        const auto value = load(values, c, lanes);
        store(hn::Mul(d, f.value(g)), d_values, c, lanes);
        store(hn::Mul(hn::Mul(d, value), f.derivative(g)), d_gates, c, lanes);
      });
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {
namespace {

HWY_EXPORT(activation_range);
HWY_EXPORT(activation_gradient_range);
HWY_EXPORT(activation_gradient_columns);
HWY_EXPORT(glu_rows);
HWY_EXPORT(glu_gradient_rows);

constexpr int64_t kGrain = 8192;

void require_gradient(const Tensor& x, const Tensor& dy, const Tensor& dx) {
  require_float("activation_gradient", "x", x);
  require_float("activation_gradient", "dy", dy);
  require_float("activation_gradient", "dx", dx);
  require_elements("activation_gradient", "dy", dy, x.elements());
  require_elements("activation_gradient", "dx", dx, x.elements());
}

int64_t rows_per_thread(int64_t columns) {
  return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, columns));
}

}  // namespace

void activation(Activation kind, const Tensor& x, Tensor& out) {
  require_float("activation", "x", x);
  require_float("activation", "out", out);
  require_elements("activation", "out", out, x.elements());
  parallel_for(x.elements(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(activation_range)(kind, elements(x), elements(out), begin, end);
  });
}

void activation_gradient(Activation kind, const Tensor& x, const Tensor& dy, Tensor& dx) {
  require_gradient(x, dy, dx);
  parallel_for(x.elements(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(activation_gradient_range)
    (kind, elements(x), elements(dy), elements(dx), begin, end);
  });
}

void activation_gradient(Activation kind, const Tensor& x, const Tensor& dy, Tensor& dx,
                         Tensor& d_bias, bool accumulate) {
  require_gradient(x, dy, dx);
  require_type("activation_gradient", "d_bias", d_bias, DType::kF32);
  require_elements("activation_gradient", "d_bias", d_bias, x.columns());
  if (!accumulate) d_bias.fill_zero();
  parallel_for(x.columns(), 64, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(activation_gradient_columns)
    (kind, elements(x), elements(dy), elements(dx), x.rows(), x.columns(), d_bias.data<float>(),
     begin, end);
  });
}

void glu(Gate gate, const Tensor& x, Tensor& out) {
  require_float("glu", "x", x);
  require_float("glu", "out", out);
  const int64_t columns = out.columns();
  require_matrix("glu", "x", x, out.rows(), 2 * columns);
  parallel_for(out.rows(), rows_per_thread(columns), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(glu_rows)(gate, elements(x), elements(out), columns, begin, end);
  });
}

void glu_gradient(Gate gate, const Tensor& x, const Tensor& dy, Tensor& dx) {
  require_float("glu_gradient", "x", x);
  require_float("glu_gradient", "dy", dy);
  require_float("glu_gradient", "dx", dx);
  const int64_t columns = dy.columns();
  require_matrix("glu_gradient", "x", x, dy.rows(), 2 * columns);
  require_matrix("glu_gradient", "dx", dx, dy.rows(), 2 * columns);
  parallel_for(dy.rows(), rows_per_thread(columns), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(glu_gradient_rows)
    (gate, elements(x), elements(dy), elements(dx), columns, begin, end);
  });
}

}  // namespace skein::kernels
#endif
