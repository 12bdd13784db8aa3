// Affine maps and layer normalisation with their parameters.
#pragma once

#include <string>

#include "skein/autograd/functions.h"
#include "skein/nn/parameter_store.h"

namespace skein {

class Linear {
 public:
  struct Options {
    int64_t inputs = 0;
    int64_t outputs = 0;
    bool bias = true;
    double gain = 1;  // of the Xavier initialisation
    // Stacked maps of the same inputs count as separate ones for the initialisation.
    int64_t stacked = 1;
  };
  // Parameters `name.weight` [outputs, inputs] and `name.bias` [outputs] (zero at the start).
  Linear(ParameterStore& store, const std::string& name, const Options& options);

  // x [n, inputs] → [n, outputs]
  Variable operator()(Tape& tape, const Variable& x,
                      kernels::Activation activation = kernels::Activation::kNone) const {
    return linear(tape, x, weight_, bias_, activation);
  }

 private:
  Variable weight_;
  Variable bias_;
};

// Parameters `name.weight` and `name.bias` [width], 1 and 0 at the start.
NormParameters make_layer_norm(ParameterStore& store, const std::string& name, int64_t width);

}  // namespace skein
