// Weight normalisation (Salimans & Kingma 2016): a direction and a length for every output unit.
#pragma once

#include "skein/tensor/tensor.h"

namespace skein::kernels {

// weight [o, i] (f32 or bf16) = length[r] * direction[r] / |direction[r]| for every row r (eq. 2).
// direction [o, i], length [o], inverse_norms [o] f32: the last is 1 / |direction[r]|, for the
// gradient. A direction of zeros gives a row of zeros.
void weight_norm(const Tensor& direction, const Tensor& length, Tensor& weight,
                 Tensor& inverse_norms);

// Gradients from d_weight [o, i] (f32 or bf16; eq. 3), overwritten or added to. The others are f32;
// d_direction and d_length may be undefined.
struct WeightNormGradient {
  const Tensor& direction;
  const Tensor& length;
  const Tensor& inverse_norms;
  const Tensor& d_weight;
  Tensor& d_direction;
  bool accumulate_direction = false;
  Tensor& d_length;
  bool accumulate_length = false;
};
void weight_norm_gradient(const WeightNormGradient& arguments);

}  // namespace skein::kernels
