// Differentiable functions of convolutional models, besides those of functions.h, whose conventions
// they share.
#pragma once

#include <cstdint>
#include <span>

#include "skein/autograd/tape.h"
#include "skein/autograd/variable.h"
#include "skein/kernels/convolution.h"

namespace skein {

// length[r] * direction[r] / |direction[r]| for every row [o, i], in the tape's type. Salimans &
// Kingma 2016, eq. 2. direction [o, i] and length [o] are parameters.
Variable weight_norm(Tape& tape, const Variable& direction, const Variable& length);

// The windows of dropout(x) [n, in] · weightᵀ + bias: [n, out]. weight [out, width * in]: the taps
// of an output side by side, in the order of the rows of a window. `bias` [out] may be undefined.
Variable convolution(Tape& tape, const Variable& x, const Variable& weight, const Variable& bias,
                     const kernels::Window& window, double dropout = 0);

// factor * (values * sigmoid(gates) + residual) [n, c], x [n, 2c] = values, gates. `residual` may
// be undefined.
Variable gated_sum(Tape& tape, const Variable& x, const Variable& residual, double factor);

// factor * (a + b)
Variable scaled_sum(Tape& tape, const Variable& a, const Variable& b, double factor);

// factors[row] * x
Variable scale_rows(Tape& tape, const Variable& x, std::span<const float> factors);

// x itself, whose gradient is multiplied by `factor` on the way back.
Variable scale_gradient(Tape& tape, const Variable& x, double factor);

// a [n, c] and b [n, d] side by side: [n, c + d].
Variable concatenate_columns(Tape& tape, const Variable& a, const Variable& b);

}  // namespace skein
