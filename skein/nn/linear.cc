#include "skein/nn/linear.h"

namespace skein {

Linear::Linear(ParameterStore& store, const std::string& name, const Options& options)
    : weight_(store.add(
          name + ".weight", {options.outputs, options.inputs},
          xavier_uniform(options.inputs, options.outputs / options.stacked, options.gain))) {
  if (options.bias) bias_ = store.add(name + ".bias", {options.outputs}, constant(0));
}

NormParameters make_layer_norm(ParameterStore& store, const std::string& name, int64_t width) {
  return {.gain = store.add(name + ".weight", {width}, constant(1)),
          .bias = store.add(name + ".bias", {width}, constant(0))};
}

}  // namespace skein
