// Sums, scales, conversions and dropout over whole tensors. Every tensor is f32 or bf16, arithmetic
// is f32.
#pragma once

#include <cstdint>

#include "skein/tensor/tensor.h"

namespace skein::kernels {

void convert(const Tensor& from, Tensor& to);
void add(const Tensor& a, const Tensor& b, Tensor& out);
void accumulate(const Tensor& x, Tensor& into);  // into += x
void scale(float factor, Tensor& x);             // x *= factor
// out [c] f32 = sum over rows of x [n, c], or += with `accumulate`. The order of the sum depends on
// the shape and the number of threads only.
void column_sum(const Tensor& x, Tensor& out, bool accumulate);
// Sum of squares in f64; the order depends on the length only, not on the number of threads.
double sum_of_squares(const Tensor& x);
// True if every element is finite.
bool all_finite(const Tensor& x);

// Inverted dropout whose mask is a function of the seed and the element's index: the gradient is
// the same call, and no mask is stored. Element i is kept, and scaled by 1 / (1 - probability),
// when the hash of (seed, i) says so.
struct Dropout {
  float probability = 0;  // in [0, 1); 0 is the identity
  uint64_t seed = 0;
};
void dropout(const Dropout& mask, const Tensor& x, Tensor& out);
// The factor of element `index`: 0 or 1 / (1 - probability). The plain definition of the mask.
float dropout_factor(const Dropout& mask, uint64_t index);

}  // namespace skein::kernels
