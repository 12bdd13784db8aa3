#include "skein/kernels/residual.h"

#include <utility>
#include <vector>

#include "skein/autograd/convolution.h"
#include "skein/kernels/check.h"
#include "skein/kernels/columns.h"

namespace skein {
namespace {

Tensor scaled(double factor, const Tensor& x) {
  Tensor result = Tensor::uninitialized(x.shape(), x.type());
  kernels::scaled_sum(static_cast<float>(factor), x, Tensor(), result);
  return result;
}

}  // namespace

Variable gated_sum(Tape& tape, const Variable& x, const Variable& residual, double factor) {
  const Tensor none;
  const auto scale = static_cast<float>(factor);
  Tensor y = Tensor::uninitialized({x.value().rows(), x.value().columns() / 2}, x.value().type());
  kernels::gated_sum(scale, x.value(), residual.defined() ? residual.value() : none, y);
  const bool needs_gradient = x.needs_gradient() || residual.needs_gradient();
  const Variable output(std::move(y), needs_gradient);
  if (!needs_gradient) return output;
  tape.record({.outputs = {output.gradient()},
               .inputs =
                   [=, dy = output.gradient()] {
                     const Tensor& d = dy->tensor();
                     Tensor dx = Tensor::uninitialized(x.shape(), d.type());
                     Tensor d_residual = residual.needs_gradient()
                                             ? Tensor::uninitialized(d.shape(), d.type())
                                             : Tensor();
                     kernels::gated_sum_gradient(scale, x.value(), d, dx, d_residual);
                     if (x.needs_gradient()) x.gradient()->add(std::move(dx));
                     if (residual.needs_gradient()) residual.gradient()->add(std::move(d_residual));
                   },
               .weights = nullptr});
  return output;
}

Variable scaled_sum(Tape& tape, const Variable& a, const Variable& b, double factor) {
  Tensor sum = Tensor::uninitialized(a.shape(), a.value().type());
  kernels::scaled_sum(static_cast<float>(factor), a.value(), b.value(), sum);
  const bool needs_gradient = a.needs_gradient() || b.needs_gradient();
  const Variable output(std::move(sum), needs_gradient);
  if (!needs_gradient) return output;
  tape.record({.outputs = {output.gradient()},
               .inputs =
                   [=, da = a.gradient(), db = b.gradient(), dy = output.gradient()] {
                     Tensor d = scaled(factor, dy->tensor());
                     if (da) da->add(d);
                     if (db) db->add(std::move(d));
                   },
               .weights = nullptr});
  return output;
}

Variable scale_rows(Tape& tape, const Variable& x, std::span<const float> factors) {
  const Tensor each = Tensor::from(factors, {static_cast<int64_t>(factors.size())});
  Tensor y = Tensor::uninitialized(x.shape(), x.value().type());
  kernels::scale_rows(each, x.value(), y);
  const Variable output(std::move(y), x.needs_gradient());
  if (!x.needs_gradient()) return output;
  tape.record({.outputs = {output.gradient()},
               .inputs =
                   [each, dx = x.gradient(), dy = output.gradient()] {
                     const Tensor& d = dy->tensor();
                     Tensor scaled = Tensor::uninitialized(d.shape(), d.type());
                     kernels::scale_rows(each, d, scaled);
                     dx->add(std::move(scaled));
                   },
               .weights = nullptr});
  return output;
}

Variable scale_gradient(Tape& tape, const Variable& x, double factor) {
  if (!x.needs_gradient()) return x;
  const Variable output(x.value(), true);
  tape.record({.outputs = {output.gradient()},
               .inputs = [factor, dx = x.gradient(),
                          dy = output.gradient()] { dx->add(scaled(factor, dy->tensor())); },
               .weights = nullptr});
  return output;
}

Variable concatenate_columns(Tape& tape, const Variable& a, const Variable& b) {
  const int64_t rows = a.value().rows();
  const int64_t left = a.value().columns(), right = b.value().columns();
  kernels::require_type("concatenate_columns", "b", b.value(), a.value().type());
  kernels::require_matrix("concatenate_columns", "b", b.value(), rows, right);
  Tensor both = Tensor::uninitialized({rows, left + right}, a.value().type());
  kernels::copy_columns(matrix(a.value()), column_block(both, 0, left));
  kernels::copy_columns(matrix(b.value()), column_block(both, left, right));
  const bool needs_gradient = a.needs_gradient() || b.needs_gradient();
  const Variable output(std::move(both), needs_gradient);
  if (!needs_gradient) return output;
  tape.record({.outputs = {output.gradient()},
               .inputs =
                   [=, da = a.gradient(), db = b.gradient(), dy = output.gradient()] {
                     const Tensor& d = dy->tensor();
                     const auto hand_over = [&](Gradient& to, int64_t first, int64_t width) {
                       Tensor part = Tensor::uninitialized({rows, width}, d.type());
                       kernels::copy_columns(column_block(d, first, width), matrix(part));
                       to.add(std::move(part));
                     };
                     if (da) hand_over(*da, 0, left);
                     if (db) hand_over(*db, left, right);
                   },
               .weights = nullptr});
  return output;
}

}  // namespace skein
