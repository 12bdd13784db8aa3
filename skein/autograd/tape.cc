#include "skein/autograd/tape.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/random.h"

namespace skein {
namespace {

void seed(const Variable& output, Tensor gradient) {
  if (!output.needs_gradient()) {
    throw Error("backward: nothing was recorded of this output; run it on a recording tape");
  }
  const Tensor& value = output.value();
  if (gradient.shape() != value.shape() || gradient.type() != value.type()) {
    throw ShapeError(fmt::format("backward: a gradient of {} {} for an output of {} {}",
                                 name_of(gradient.type()), gradient.shape().to_string(),
                                 name_of(value.type()), value.shape().to_string()));
  }
  output.gradient()->add(std::move(gradient));
}

Tensor one() { return Tensor::from<float>({1.0f}, {1}); }

bool reached(const Tape::Operation& operation) {
  return std::any_of(operation.outputs.begin(), operation.outputs.end(),
                     [](const auto& gradient) { return !gradient->empty(); });
}

}  // namespace

kernels::Dropout Tape::next_dropout(double probability) {
  if (!options_.training || probability == 0) return {};
  return {static_cast<float>(probability), Random(options_.seed, dropouts_++).next_u64()};
}

void Tape::check(const Tensor& value, std::string_view function, const Variable& parameter) const {
  if (!options_.check_finite || kernels::all_finite(value)) return;
  throw NonFiniteError(
      parameter.defined() && !parameter.name().empty()
          ? fmt::format("the output of {} with {} is not finite", function, parameter.name())
          : fmt::format("the output of {} is not finite", function));
}

void Tape::record(Operation operation) {
  if (options_.record) operations_.push_back(std::move(operation));
}

void Tape::backward(const Variable& loss) { backward(loss, one()); }

void Tape::backward(const Variable& output, Tensor gradient) {
  seed(output, std::move(gradient));
  run_all();
}

void Tape::backward_inputs(const Variable& loss) { backward_inputs(loss, one()); }

void Tape::backward_inputs(const Variable& output, Tensor gradient) {
  seed(output, std::move(gradient));
  run_inputs();
}

void Tape::run_all() {
  while (!operations_.empty()) {
    run_last();
    if (options_.after_operation) options_.after_operation();
  }
}

void Tape::run_last() {
  const Operation operation = std::move(operations_.back());
  operations_.pop_back();
  if (!reached(operation)) return;
  if (operation.inputs) operation.inputs();
  if (operation.weights) operation.weights();
}

void Tape::run_inputs() {
  for (auto operation = operations_.rbegin(); operation != operations_.rend(); ++operation) {
    if (operation->inputs && reached(*operation)) operation->inputs();
    operation->inputs = nullptr;
    if (!operation->weights) operation->outputs.clear();
  }
}

void Tape::backward_weights() {
  while (!operations_.empty()) {
    const Operation operation = std::move(operations_.back());
    operations_.pop_back();
    if (operation.weights && reached(operation)) operation.weights();
  }
}

}  // namespace skein
