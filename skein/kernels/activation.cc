#include "skein/kernels/activation.h"

#include <cmath>

#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/plain.h"

namespace skein::kernels {
namespace {

constexpr int64_t kGrain = 4096;

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
float normal_cdf(float x) { return 0.5f * std::erfc(-x * 0.70710678f); }
float normal_density(float x) { return 0.39894228f * std::exp(-0.5f * x * x); }

float apply(Activation kind, float x) {
  switch (kind) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return x > 0 ? x : 0;
    case Activation::kGelu:
      return x * normal_cdf(x);
    case Activation::kSilu:
      return x * sigmoid(x);
  }
  return x;
}

float derivative(Activation kind, float x) {
  switch (kind) {
    case Activation::kNone:
      return 1;
    case Activation::kRelu:
      return x > 0 ? 1.0f : 0.0f;
    case Activation::kGelu:
      return normal_cdf(x) + x * normal_density(x);
    case Activation::kSilu: {
      const float s = sigmoid(x);
      return s * (1 + x * (1 - s));
    }
  }
  return 1;
}

float gate_value(Gate gate, float x) {
  if (gate == Gate::kSigmoid) return sigmoid(x);
  return apply(gate == Gate::kGelu ? Activation::kGelu : Activation::kSilu, x);
}

float gate_derivative(Gate gate, float x) {
  if (gate == Gate::kSigmoid) return sigmoid(x) * (1 - sigmoid(x));
  return derivative(gate == Gate::kGelu ? Activation::kGelu : Activation::kSilu, x);
}

}  // namespace

void activation(Activation kind, const Tensor& x, Tensor& out) {
  require_float("activation", "x", x);
  require_float("activation", "out", out);
  require_elements("activation", "out", out, x.elements());
  parallel_for(x.elements(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) store(out, i, apply(kind, load(x, i)));
  });
}

void activation_gradient(Activation kind, const Tensor& x, const Tensor& dy, Tensor& dx) {
  require_float("activation_gradient", "x", x);
  require_float("activation_gradient", "dy", dy);
  require_float("activation_gradient", "dx", dx);
  require_elements("activation_gradient", "dy", dy, x.elements());
  require_elements("activation_gradient", "dx", dx, x.elements());
  parallel_for(x.elements(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      store(dx, i, load(dy, i) * derivative(kind, load(x, i)));
    }
  });
}

void glu(Gate gate, const Tensor& x, Tensor& out) {
  require_float("glu", "x", x);
  require_float("glu", "out", out);
  const int64_t columns = out.columns();
  require_matrix("glu", "x", x, out.rows(), 2 * columns);
  parallel_for(out.rows(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t i = r * 2 * columns + c;
        store(out, r * columns + c, load(x, i) * gate_value(gate, load(x, i + columns)));
      }
    }
  });
}

void glu_gradient(Gate gate, const Tensor& x, const Tensor& dy, Tensor& dx) {
  require_float("glu_gradient", "x", x);
  require_float("glu_gradient", "dy", dy);
  require_float("glu_gradient", "dx", dx);
  const int64_t columns = dy.columns();
  require_matrix("glu_gradient", "x", x, dy.rows(), 2 * columns);
  require_matrix("glu_gradient", "dx", dx, dy.rows(), 2 * columns);
  parallel_for(dy.rows(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t i = r * 2 * columns + c;
        const float value = load(x, i), g = load(x, i + columns), d = load(dy, r * columns + c);
        store(dx, i, d * gate_value(gate, g));
        store(dx, i + columns, d * value * gate_derivative(gate, g));
      }
    }
  });
}

}  // namespace skein::kernels
