// Layer normalisation (Ba et al. 2016), alone or with the residual sum and dropout before it.
#pragma once

#include "skein/kernels/elementwise.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

struct NormStatistics {
  Tensor mean;         // [n] f32
  Tensor inverse_std;  // [n] f32, 1 / sqrt(variance + epsilon)
};

// sum [n, c] = residual + dropout(x); y = (sum - mean) * inverse_std * gain + bias. `residual`
// undefined: sum = x with dropout, and `sum` may be undefined too when dropout is 0. x, residual,
// sum, y: f32 or bf16; gain, bias: f32 [c].
struct NormForward {
  const Tensor& x;
  const Tensor& residual;
  const Tensor& gain;
  const Tensor& bias;
  float epsilon = 1e-5f;
  Dropout dropout = {};
  Tensor& sum;
  Tensor& y;
  NormStatistics& statistics;
};
void layer_norm(const NormForward& arguments);

// Given dy: d_sum = gradient of the normalisation to its input `sum`, plus `d_sum_extra` if defined
// (what else uses `sum`); d_x = dropout of d_sum (may be undefined when dropout is 0: then d_x =
// d_sum). d_gain, d_bias [c] f32 are overwritten, or added to with `accumulate`; both undefined:
// not computed.
struct NormBackward {
  const Tensor& sum;
  const Tensor& gain;
  const NormStatistics& statistics;
  const Tensor& dy;
  const Tensor& d_sum_extra;
  Dropout dropout = {};
  Tensor& d_sum;
  Tensor& d_x;
  Tensor& d_gain;
  Tensor& d_bias;
  bool accumulate = false;
  // If not null: f32 [c], += the sum of d_x (d_sum where that is undefined) over its rows, the
  // gradient of a bias that was added to x.
  Tensor* d_x_bias = nullptr;
};
// The order of sums depends on the shape only, not on the number of threads.
void layer_norm_gradient(const NormBackward& arguments);

}  // namespace skein::kernels
