#include <memory>
#include <utility>

#include "skein/autograd/functions.h"
#include "skein/kernels/check.h"
#include "skein/kernels/elementwise.h"
#include "skein/kernels/matmul.h"

namespace skein {
namespace {

struct LinearRecord {
  Tensor x;
  std::shared_ptr<Gradient> x_gradient;
  Variable weight;
  Variable bias;
  Tensor y;  // kept for kRelu only
  std::shared_ptr<Gradient> y_gradient;
  kernels::Activation activation;
  Tensor dz;

  void inputs() {
    dz = y_gradient->tensor();
    if (activation != kernels::Activation::kNone) through_activation();
    if (!x_gradient) return;
    auto [dx, accumulate] = x_gradient->target(x.shape(), x.type());
    kernels::matmul(dz, weight.value_as(x.type()), dx, {.accumulate = accumulate});
  }

  // The rectifier is told from its output; the bias's gradient comes with the same pass.
  void through_activation() {
    const Tensor dy = std::move(dz);
    dz = Tensor::uninitialized(dy.shape(), dy.type());
    if (bias.needs_gradient()) {
      auto [db, accumulate] = bias.gradient()->target(bias.shape(), DType::kF32);
      kernels::activation_gradient(activation, y, dy, dz, db, accumulate);
    } else {
      kernels::activation_gradient(activation, y, dy, dz);
    }
    y = Tensor();
  }

  void weights() {
    if (weight.needs_gradient()) {
      auto [dw, accumulate] = weight.gradient()->target(weight.shape(), DType::kF32);
      kernels::matmul(dz, x, dw, {.transpose_a = true, .accumulate = accumulate});
    }
    if (bias.needs_gradient() && activation == kernels::Activation::kNone) {
      auto [db, accumulate] = bias.gradient()->target(bias.shape(), DType::kF32);
      kernels::column_sum(dz, db, accumulate);
    }
  }
};

}  // namespace

void multiply_by_weight(const Tensor& x, const Variable& weight, Tensor& out, const Tensor* bias,
                        kernels::Activation activation) {
  if (const kernels::PackedMatrix* packed = weight.packed(x.type())) {
    kernels::matmul(x, *packed, out, {.bias = bias, .activation = activation});
  } else {
    kernels::matmul(x, weight.value_as(x.type()), out,
                    {.transpose_b = true, .bias = bias, .activation = activation});
  }
}

Variable linear(Tape& tape, const Variable& x, const Variable& weight, const Variable& bias,
                kernels::Activation kind) {
  // Only a rectifier is told from its output; the others are functions of their own.
  const bool fused = kind == kernels::Activation::kNone || kind == kernels::Activation::kRelu;
  kernels::require_type("linear", "x", x.value(), tape.activations());
  Tensor y = Tensor::uninitialized({x.value().rows(), weight.shape()[0]}, tape.activations());
  multiply_by_weight(x.value(), weight, y, bias.defined() ? &bias.value() : nullptr,
                     fused ? kind : kernels::Activation::kNone);
  tape.check(y, "linear", weight);
  const Variable output(y, tape.recording());
  if (tape.recording()) {
    auto record = std::make_shared<LinearRecord>(
        LinearRecord{.x = x.value(),
                     .x_gradient = x.gradient(),
                     .weight = weight,
                     .bias = bias,
                     .y = kind == kernels::Activation::kRelu ? y : Tensor(),
                     .y_gradient = output.gradient(),
                     .activation = fused ? kind : kernels::Activation::kNone,
                     .dz = {}});
    tape.record({.outputs = {output.gradient()},
                 .inputs = [record] { record->inputs(); },
                 .weights = [record] { record->weights(); }});
  }
  return fused ? output : activation(tape, kind, output);
}

}  // namespace skein
