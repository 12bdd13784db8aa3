// The residual stream of a stack of sub-layers: what each reads, and how its output comes back.
// Post-norm: the next input is LN(x + f(x)). Pre-norm: x goes on unnormalised, and every sub-layer
// reads LN(x); the sum of one sub-layer and the norm of the next are then one fused step.
#pragma once

#include <utility>

#include "skein/autograd/functions.h"

namespace skein {

class ResidualStream {
 public:
  struct Options {
    bool pre_norm = false;
    double dropout = 0;  // of the sub-layers' outputs
  };
  ResidualStream(Tape& tape, Variable start, const Options& options)
      : tape_(tape), residual_(std::move(start)), options_(options) {}

  // The input of a sub-layer whose norm is `norm`.
  Variable input(const NormParameters& norm) {
    if (!options_.pre_norm) return residual_;
    if (!pending_.defined()) return layer_norm(tape_, residual_, norm);
    auto [sum, normalized] = residual_norm(tape_, pending_, residual_, options_.dropout, norm);
    pending_ = Variable();
    residual_ = std::move(sum);
    return normalized;
  }

  // The output of that sub-layer.
  void output(Variable x, const NormParameters& norm) {
    if (options_.pre_norm) {
      pending_ = std::move(x);
    } else {
      residual_ = residual_norm(tape_, x, residual_, options_.dropout, norm).normalized;
    }
  }

  // After the last sub-layer; `norm` is that of the whole stack (pre-norm), undefined without.
  Variable end(const NormParameters& norm) {
    if (!options_.pre_norm || norm.gain.defined()) return input(norm);
    if (!pending_.defined()) return residual_;
    return add(tape_, residual_, dropout(tape_, options_.dropout, pending_));
  }

 private:
  Tape& tape_;
  Variable residual_;
  Variable pending_;
  Options options_;
};

}  // namespace skein
