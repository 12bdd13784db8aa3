// A value that takes part in a computation, and the place where its gradient gathers.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "skein/kernels/packed_matrix.h"
#include "skein/tensor/tensor.h"

namespace skein {

// Gathers the gradient of one variable during a backward pass. Activations' gradients are owned
// here and freed with the last operation that needs them; a parameter's gradient is bound to its
// place in a flat buffer.
class Gradient {
 public:
  // Nothing has arrived since the start or the last clear().
  bool empty() const { return !filled_; }
  // Undefined when empty.
  const Tensor& tensor() const { return tensor_; }

  // Adds a contribution of the variable's shape, f32 or bf16.
  void add(Tensor contribution);

  // For operations that write or add themselves: the buffer, and whether it already holds something
  // to add to.
  struct Target {
    Tensor& buffer;
    bool accumulate;
  };
  Target target(const Shape& shape, DType type);

  // Fixes the buffer; gradients are then written there. What it holds counts as nothing.
  void bind(Tensor buffer);
  void clear();
  // It is final, and on its way to other processes: until clear(), add() and target() throw Error.
  void seal() { sealed_ = true; }

 private:
  void require_open() const;

  Tensor tensor_;
  bool bound_ = false;
  bool filled_ = false;
  bool sealed_ = false;
};

class Variable {
 public:
  Variable() = default;  // undefined
  explicit Variable(Tensor value, bool needs_gradient = false);

  // A parameter that has its place in memory later.
  static Variable parameter(std::string name);
  // `value` f32, `half` the same in bf16 (may be undefined); gradients gather in `gradient` (f32;
  // undefined: none is needed). Every copy of this Variable sees them.
  void bind_parameter(Tensor value, Tensor half, Tensor gradient) const;

  // The values do not change any more, so that products may keep them in another order.
  void freeze() const { node_->frozen = true; }
  bool frozen() const { return node_->frozen; }
  // A frozen matrix [n, k] as the right factor [k, n] of products, packed at the first call; null
  // if it is not frozen or `type` is not that of the first call. Safe to call from several threads.
  const kernels::PackedMatrix* packed(DType type) const;

  bool defined() const { return node_ != nullptr; }
  const Tensor& value() const { return node_->value; }
  // The value as f32 or bf16; a parameter's bf16 copy is kept, everything else must already be of
  // that type.
  const Tensor& value_as(DType type) const;
  const Shape& shape() const { return value().shape(); }
  const std::string& name() const { return node_->name; }
  bool needs_gradient() const { return node_ != nullptr && node_->gradient != nullptr; }
  // How many Variables and operations hold this variable or its gradient. An operation on a tape
  // holds one or the other of what it will add a gradient to: as soon as no more hold it than
  // before the forward pass, its gradient is final.
  long holders() const {
    return node_.use_count() + (needs_gradient() ? node_->gradient.use_count() : 0);
  }
  // Shared with operations, which need a gradient after the value may be freed. Null without
  // gradient.
  const std::shared_ptr<Gradient>& gradient() const { return node_->gradient; }

 private:
  struct Node {
    Tensor value;
    Tensor half;
    std::string name;
    std::shared_ptr<Gradient> gradient;
    bool frozen = false;
    std::once_flag packing;
    kernels::PackedMatrix packed;
  };
  std::shared_ptr<Node> node_;
};

}  // namespace skein
