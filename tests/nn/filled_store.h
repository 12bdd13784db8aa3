// A ParameterStore with memory and random values everywhere (no zero bias, no gain of 1), and its
// parameters in double precision.
#pragma once

#include <map>
#include <string>

#include "plain_functions.h"
#include "skein/nn/parameter_store.h"

namespace skein {

// Normal values of deviation `scale`; vectors named `*norm.weight` and `*weight_g` lie around 1.
inline void fill_parameters(ParameterStore& store, uint64_t seed, double scale) {
  store.allocate({.half = true, .gradients = true});
  store.initialize(seed);
  Random random(seed);
  for (const Parameter& each : store.parameters()) {
    const bool factors = each.name.ends_with("norm.weight") || each.name.ends_with("weight_g");
    const float centre = factors ? 1 : 0;
    Tensor values = each.variable.value();
    for (float& value : values.values<float>()) {
      value = centre + static_cast<float>(scale * random.normal());
    }
  }
  store.refresh_half();
}

inline plain::Matrix plain_matrix(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {tensor.rows(), tensor.columns(), {values.begin(), values.end()}};
}

// All of a store by name, as plain twins of models take them.
inline std::map<std::string, plain::Matrix> plain_parameters(const ParameterStore& store) {
  std::map<std::string, plain::Matrix> parameters;
  for (const Parameter& each : store.parameters()) {
    parameters[each.name] = plain_matrix(each.variable.value());
  }
  return parameters;
}

inline plain::Matrix plain_parameter(const ParameterStore& store, const std::string& name) {
  return plain_matrix(store.find(name).variable.value());
}

}  // namespace skein
