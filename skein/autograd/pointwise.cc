#include <utility>

#include "skein/autograd/functions.h"
#include "skein/kernels/check.h"
#include "skein/kernels/elementwise.h"

namespace skein {

Variable activation(Tape& tape, kernels::Activation kind, const Variable& x) {
  Tensor y = Tensor::uninitialized(x.shape(), x.value().type());
  kernels::activation(kind, x.value(), y);
  const Variable output(std::move(y), x.needs_gradient());
  if (!x.needs_gradient()) return output;
  tape.record({.outputs = {output.gradient()},
               .inputs =
                   [kind, x, dy = output.gradient()] {
                     Tensor dx = Tensor::uninitialized(x.shape(), x.value().type());
                     kernels::activation_gradient(kind, x.value(), dy->tensor(), dx);
                     x.gradient()->add(std::move(dx));
                   },
               .weights = nullptr});
  return output;
}

Variable glu(Tape& tape, kernels::Gate gate, const Variable& x) {
  Tensor y = Tensor::uninitialized({x.value().rows(), x.value().columns() / 2}, x.value().type());
  kernels::glu(gate, x.value(), y);
  const Variable output(std::move(y), x.needs_gradient());
  if (!x.needs_gradient()) return output;
  tape.record({.outputs = {output.gradient()},
               .inputs =
                   [gate, x, dy = output.gradient()] {
                     Tensor dx = Tensor::uninitialized(x.shape(), x.value().type());
                     kernels::glu_gradient(gate, x.value(), dy->tensor(), dx);
                     x.gradient()->add(std::move(dx));
                   },
               .weights = nullptr});
  return output;
}

Variable dropout(Tape& tape, double probability, const Variable& x) {
  const kernels::Dropout mask = tape.next_dropout(probability);
  if (mask.probability == 0) return x;
  Tensor y = Tensor::uninitialized(x.shape(), x.value().type());
  kernels::dropout(mask, x.value(), y);
  const Variable output(std::move(y), x.needs_gradient());
  if (!x.needs_gradient()) return output;
  tape.record({.outputs = {output.gradient()},
               .inputs =
                   [mask, dx = x.gradient(), dy = output.gradient()] {
                     Tensor masked =
                         Tensor::uninitialized(dy->tensor().shape(), dy->tensor().type());
                     kernels::dropout(mask, dy->tensor(), masked);
                     dx->add(std::move(masked));
                   },
               .weights = nullptr});
  return output;
}

Variable add(Tape& tape, const Variable& a, const Variable& b) {
  kernels::require_type("add", "b", b.value(), a.value().type());
  kernels::require_matrix("add", "b", b.value(), a.value().rows(), a.value().columns());
  Tensor sum = Tensor::uninitialized(a.shape(), a.value().type());
  kernels::add(a.value(), b.value(), sum);
  const bool needs_gradient = a.needs_gradient() || b.needs_gradient();
  const Variable output(std::move(sum), needs_gradient);
  if (!needs_gradient) return output;
  tape.record({.outputs = {output.gradient()},
               .inputs =
                   [da = a.gradient(), db = b.gradient(), dy = output.gradient()] {
                     if (da) da->add(dy->tensor());
                     if (db) db->add(dy->tensor());
                   },
               .weights = nullptr});
  return output;
}

}  // namespace skein
