#include "skein/nn/parameter_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/nearest.h"
#include "skein/kernels/elementwise.h"

namespace skein {
namespace {

// Parameters begin at 64-byte boundaries.
constexpr int64_t kAlignment = 16;

int64_t aligned(int64_t elements) { return (elements + kAlignment - 1) / kAlignment * kAlignment; }

// FNV-1a, 64 bits: a stream number that depends on the name alone.
uint64_t stream_of(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

Initializer constant(float value) {
  return
      [value](std::span<float> values, Random&) { std::fill(values.begin(), values.end(), value); };
}

Initializer normal(double standard_deviation) {
  return [standard_deviation](std::span<float> values, Random& random) {
    for (float& value : values) value = static_cast<float>(standard_deviation * random.normal());
  };
}

Initializer xavier_uniform(int64_t fan_in, int64_t fan_out, double gain) {
  const double bound = gain * std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
  return [bound](std::span<float> values, Random& random) {
    for (float& value : values) value = static_cast<float>(bound * (2 * random.uniform() - 1));
  };
}

Variable ParameterStore::add(std::string name, const Shape& shape, Initializer initializer) {
  for (const Parameter& each : parameters_) {
    if (each.name == name) throw Error("the parameter " + name + " is defined twice");
  }
  const int64_t offset = parameters_.empty() ? 0
                                             : parameters_.back().offset +
                                                   aligned(parameters_.back().shape.elements());
  Variable variable = Variable::parameter(name);
  parameters_.push_back({std::move(name), shape, variable, offset, std::move(initializer)});
  return variable;
}

void ParameterStore::allocate(Memory memory) {
  const int64_t size = parameters_.empty() ? 0
                                           : parameters_.back().offset +
                                                 aligned(parameters_.back().shape.elements());
  values_ = Tensor::zeros({size}, DType::kF32);
  half_ = memory.half ? Tensor::zeros({size}, DType::kBF16) : Tensor();
  gradients_ = memory.gradients ? Tensor::zeros({size}, DType::kF32) : Tensor();
  for (const Parameter& each : parameters_) {
    each.variable.bind_parameter(
        values_.view(each.offset, each.shape),
        memory.half ? half_.view(each.offset, each.shape) : Tensor(),
        memory.gradients ? gradients_.view(each.offset, each.shape) : Tensor());
  }
}

void ParameterStore::initialize(uint64_t seed) {
  if (!values_.defined()) throw Error("the parameters have no memory yet; allocate() comes first");
  for (const Parameter& each : parameters_) {
    Random random(seed, stream_of(each.name));
    Tensor values = each.variable.value();
    each.initializer(values.values<float>(), random);
  }
  refresh_half();
}

const Parameter& ParameterStore::find(std::string_view name) const {
  for (const Parameter& each : parameters_) {
    if (each.name == name) return each;
  }
  std::vector<std::string> names;
  for (const Parameter& each : parameters_) names.push_back(each.name);
  const std::string nearest = nearest_name(name, names);
  throw Error(fmt::format("the model has no parameter '{}'{}", name,
                          nearest.empty() ? "" : "; the nearest is '" + nearest + "'"));
}

int64_t ParameterStore::count() const {
  int64_t total = 0;
  for (const Parameter& each : parameters_) total += each.shape.elements();
  return total;
}

void ParameterStore::freeze() {
  for (const Parameter& each : parameters_) each.variable.freeze();
}

void ParameterStore::refresh_half() {
  if (half_.defined()) kernels::convert(values_, half_);
}

void ParameterStore::clear_gradients() {
  for (const Parameter& each : parameters_) {
    if (each.variable.needs_gradient()) each.variable.gradient()->clear();
  }
}

void ParameterStore::complete_gradients() {
  for (const Parameter& each : parameters_) {
    if (!each.variable.needs_gradient()) continue;
    const auto target = each.variable.gradient()->target(each.shape, DType::kF32);
    if (!target.accumulate) target.buffer.fill_zero();
  }
}

}  // namespace skein
