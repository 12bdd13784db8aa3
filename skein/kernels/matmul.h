// Matrix products, by oneDNN.
#pragma once

#include "skein/kernels/activation.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

struct MatmulOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;                    // out += instead of out =
  const Tensor* bias = nullptr;               // f32 [n], added to every row; not with accumulate
  Activation activation = Activation::kNone;  // applied last; kNone or kRelu, whose NaN is 0 here
};

// out [m, n] = op(a) [m, k] · op(b) [k, n]. a and b are both f32 or both bf16; out is f32 or bf16;
// sums are f32. An empty m, n or k is allowed (k = 0 gives zeros or leaves an accumulated out as it
// is; bias and activation are not applied then). Throws ShapeError if the extents do not fit.
// For training: a row's rounding may depend on how many rows there are.
void matmul(const Tensor& a, const Tensor& b, Tensor& out, const MatmulOptions& options = {});

// True if this processor multiplies bfloat16 natively (AVX-512 BF16, AMX, Arm BF16).
bool native_bf16();

}  // namespace skein::kernels
