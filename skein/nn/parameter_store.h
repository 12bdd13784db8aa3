// The parameters of a model, in one flat buffer each for values, bfloat16 copies and gradients, so
// that updates, norms and communication run over contiguous memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skein/autograd/variable.h"
#include "skein/base/random.h"
#include "skein/tensor/tensor.h"

namespace skein {

// Fills the values of one parameter.
using Initializer = std::function<void(std::span<float> values, Random& random)>;
Initializer constant(float value);
Initializer normal(double standard_deviation);
// Uniform in ± gain sqrt(6 / (fan_in + fan_out)); Glorot & Bengio 2010.
Initializer xavier_uniform(int64_t fan_in, int64_t fan_out, double gain = 1);

struct Parameter {
  std::string name;
  Shape shape;
  Variable variable;
  int64_t offset = 0;  // of its first element in the flat buffers
  Initializer initializer;
};

class ParameterStore {
 public:
  // A new parameter, without memory until allocate(). Throws Error if the name is taken.
  Variable add(std::string name, const Shape& shape, Initializer initializer);

  struct Memory {
    bool half = false;       // keep a bf16 copy of the values
    bool gradients = false;  // and a place for gradients
  };
  void allocate(Memory memory);
  // Every parameter from its own random stream of `seed`: the values do not depend on the order or
  // number of the others. Throws Error before allocate().
  void initialize(uint64_t seed);

  std::span<const Parameter> parameters() const { return parameters_; }
  // Throws Error, with the nearest name if one is near, if there is none.
  const Parameter& find(std::string_view name) const;
  int64_t count() const;  // parameters' elements, without the alignment between them

  // Flat buffers [size]; elements between parameters are zero. Undefined where not allocated.
  Tensor& values() { return values_; }
  const Tensor& values() const { return values_; }
  Tensor& half() { return half_; }
  Tensor& gradients() { return gradients_; }

  // The values do not change any more: see Variable::freeze().
  void freeze();
  // After the values changed by anything but a fused update: the bf16 copy again.
  void refresh_half();
  // Before a step: what the gradients hold counts as nothing. Neither this nor the next does
  // anything without memory for gradients.
  void clear_gradients();
  // After a backward pass: zeros the gradients of parameters that it did not reach.
  void complete_gradients();

 private:
  std::vector<Parameter> parameters_;
  Tensor values_;
  Tensor half_;
  Tensor gradients_;
};

}  // namespace skein
