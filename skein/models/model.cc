#include "skein/models/model.h"

#include "skein/autograd/functions.h"

namespace skein {

Tensor project(const Variable& features, const OutputProjection& output) {
  const Tensor& x = features.value();
  Tensor logits = Tensor::uninitialized({x.rows(), output.weight.shape()[0]}, DType::kF32);
  multiply_by_weight(x, output.weight, logits,
                     output.bias.defined() ? &output.bias.value() : nullptr);
  return logits;
}

}  // namespace skein
