// Sums of a residual connection, scaled: what convolutional models do where Transformers normalise.
#pragma once

#include "skein/tensor/tensor.h"

namespace skein::kernels {

// out = factor * (a + b), all of one shape; each f32 or bf16. `b` may be undefined.
void scaled_sum(float factor, const Tensor& a, const Tensor& b, Tensor& out);

// x [n, 2c] = values, gates → out [n, c] = factor * (values * sigmoid(gates) + residual): a gated
// linear unit (Dauphin et al. 2016, eq. 1) in a residual block. residual [n, c] may be undefined.
void gated_sum(float factor, const Tensor& x, const Tensor& residual, Tensor& out);
// dx [n, 2c] and d_residual [n, c] (may be undefined) from dy [n, c].
void gated_sum_gradient(float factor, const Tensor& x, const Tensor& dy, Tensor& dx,
                        Tensor& d_residual);

// out = factors[row] * x [n, c]; factors [n] f32.
void scale_rows(const Tensor& factors, const Tensor& x, Tensor& out);

}  // namespace skein::kernels
