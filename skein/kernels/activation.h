// Pointwise functions of feed-forward layers.
#pragma once

#include <cstdint>

#include "skein/tensor/tensor.h"

namespace skein::kernels {

// kGelu is x Φ(x) with the exact normal distribution (Hendrycks & Gimpel 2016).
enum class Activation : uint8_t { kNone, kRelu, kGelu, kSilu };

// out = f(x), same shape; each f32 or bf16.
void activation(Activation kind, const Tensor& x, Tensor& out);
// dx = dy f'(x). For kRelu `x` may be the output instead of the input.
void activation_gradient(Activation kind, const Tensor& x, const Tensor& dy, Tensor& dx);
// The same, and d_bias [columns] f32 = the sum of dx over its rows (before it is rounded), or +=
// with `accumulate`: the gradient of a bias that was added to x, without another pass. The order of
// the sum depends on the shape and the number of threads only.
void activation_gradient(Activation kind, const Tensor& x, const Tensor& dy, Tensor& dx,
                         Tensor& d_bias, bool accumulate);

// Gated linear units (Dauphin et al. 2016; Shazeer 2020): x [n, 2c] = values, gates; out [n, c] =
// values * gate(gates). kSigmoid is the original GLU.
enum class Gate : uint8_t { kSigmoid, kGelu, kSilu };
void glu(Gate gate, const Tensor& x, Tensor& out);
void glu_gradient(Gate gate, const Tensor& x, const Tensor& dy, Tensor& dx);

}  // namespace skein::kernels
