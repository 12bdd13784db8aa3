#include "skein/models/model.h"

#include "skein/kernels/matmul.h"

namespace skein {

Tensor project(const Variable& features, const OutputProjection& output) {
  const Tensor& x = features.value();
  Tensor logits = Tensor::uninitialized({x.rows(), output.weight.shape()[0]}, DType::kF32);
  kernels::matmul(
      x, output.weight.value_as(x.type()), logits,
      {.transpose_b = true, .bias = output.bias.defined() ? &output.bias.value() : nullptr});
  return logits;
}

}  // namespace skein
