#include "skein/autograd/variable.h"

#include <fmt/format.h>

#include <utility>

#include "skein/base/error.h"
#include "skein/kernels/elementwise.h"

namespace skein {

void Gradient::require_open() const {
  if (!sealed_) return;
  throw Error("a gradient came to a parameter whose gradient had left for the other processes");
}

void Gradient::add(Tensor contribution) {
  require_open();
  if (!filled_) {
    if (bound_) {
      kernels::convert(contribution, tensor_);
    } else {
      tensor_ = std::move(contribution);
    }
  } else if (bound_ || tensor_.unique()) {
    kernels::accumulate(contribution, tensor_);
  } else {
    // Another variable holds the same memory (a residual sum hands one gradient to both sides).
    Tensor sum = Tensor::uninitialized(tensor_.shape(), tensor_.type());
    kernels::add(tensor_, contribution, sum);
    tensor_ = std::move(sum);
  }
  filled_ = true;
}

Gradient::Target Gradient::target(const Shape& shape, DType type) {
  require_open();
  if (!bound_ && !filled_) tensor_ = Tensor::uninitialized(shape, type);
  if (filled_ && !bound_ && !tensor_.unique()) tensor_ = tensor_.copy();
  if (tensor_.shape() != shape) {
    throw ShapeError(fmt::format("a gradient of shape {} for a variable of shape {}",
                                 shape.to_string(), tensor_.shape().to_string()));
  }
  return {tensor_, std::exchange(filled_, true)};
}

void Gradient::bind(Tensor buffer) {
  tensor_ = std::move(buffer);
  bound_ = true;
  filled_ = false;
}

void Gradient::clear() {
  filled_ = false;
  sealed_ = false;
  if (!bound_) tensor_ = Tensor();
}

Variable::Variable(Tensor value, bool needs_gradient) : node_(std::make_shared<Node>()) {
  node_->value = std::move(value);
  if (needs_gradient) node_->gradient = std::make_shared<Gradient>();
}

Variable Variable::parameter(std::string name) {
  Variable variable{Tensor()};
  variable.node_->name = std::move(name);
  return variable;
}

void Variable::bind_parameter(Tensor value, Tensor half, Tensor gradient) const {
  node_->value = std::move(value);
  node_->half = std::move(half);
  node_->gradient = nullptr;
  if (!gradient.defined()) return;
  node_->gradient = std::make_shared<Gradient>();
  node_->gradient->bind(std::move(gradient));
}

const kernels::PackedMatrix* Variable::packed(DType type) const {
  if (!node_->frozen) return nullptr;
  std::call_once(node_->packing, [&] {
    node_->packed = kernels::PackedMatrix(value_as(type), /*transposed=*/true);
  });
  return node_->packed.type() == type ? &node_->packed : nullptr;
}

const Tensor& Variable::value_as(DType type) const {
  if (node_->value.type() == type) return node_->value;
  if (type == DType::kBF16 && node_->half.defined()) return node_->half;
  throw ShapeError(fmt::format("{} has values of {}, {} was asked for",
                               node_->name.empty() ? "a variable" : node_->name,
                               name_of(node_->value.type()), name_of(type)));
}

}  // namespace skein
