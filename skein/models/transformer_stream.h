#pragma once

#include <utility>

#include "skein/models/transformer.h"

namespace skein {

// The residual stream of a stack: what each sub-layer reads, and how its output comes back.
// Post-norm: the next input is LN(x + f(x)). Pre-norm: x goes on unnormalised, and every sub-layer
// reads LN(x); the sum of one sub-layer and the norm of the next are then one fused step.
class Transformer::Stream {
 public:
  Stream(Tape& tape, Variable start, const TransformerOptions& options)
      : tape_(tape),
        residual_(std::move(start)),
        pre_(options.norm == "pre"),
        dropout_(options.dropout) {}

  // The input of a sub-layer whose norm is `norm`.
  Variable input(const NormParameters& norm) {
    if (!pre_) return residual_;
    if (!pending_.defined()) return layer_norm(tape_, residual_, norm);
    auto [sum, normalized] = residual_norm(tape_, pending_, residual_, dropout_, norm);
    pending_ = Variable();
    residual_ = std::move(sum);
    return normalized;
  }

  // The output of that sub-layer.
  void output(Variable x, const NormParameters& norm) {
    if (pre_) {
      pending_ = std::move(x);
    } else {
      residual_ = residual_norm(tape_, x, residual_, dropout_, norm).normalized;
    }
  }

  // After the last sub-layer; `norm` is that of the whole stack (pre-norm).
  Variable end(const NormParameters& norm) { return input(norm); }

 private:
  Tape& tape_;
  Variable residual_;
  Variable pending_;
  bool pre_;
  double dropout_;
};

}  // namespace skein
