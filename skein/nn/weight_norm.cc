#include "skein/nn/weight_norm.h"

#include <cmath>

#include "skein/autograd/functions.h"

namespace skein {
namespace {

// The norms of the rows of a parameter that was filled before.
Initializer row_norms(const Variable& matrix) {
  return [matrix](std::span<float> values, Random&) {
    const Tensor& rows = matrix.value();
    const auto columns = static_cast<size_t>(rows.columns());
    for (size_t r = 0; r < values.size(); ++r) {
      double sum = 0;
      for (const float value : rows.values<float>().subspan(r * columns, columns)) {
        sum += double{value} * double{value};
      }
      values[r] = static_cast<float>(std::sqrt(sum));
    }
  };
}

double linear_deviation(const NormedLinear::Options& options) {
  return std::sqrt((1 - options.dropout) / static_cast<double>(options.inputs));
}

double gated_deviation(const NormedConvolution::Options& options) {
  return std::sqrt(4 * (1 - options.dropout) / static_cast<double>(options.width * options.inputs));
}

}  // namespace

NormedWeight::NormedWeight(ParameterStore& store, const std::string& name, int64_t inputs,
                           int64_t outputs, double standard_deviation)
    : direction_(store.add(name + ".weight_v", {outputs, inputs}, normal(standard_deviation))),
      length_(store.add(name + ".weight_g", {outputs}, row_norms(direction_))) {}

Variable NormedWeight::operator()(Tape& tape) const {
  Variable ready = folded_;
  if (!ready.defined() && direction_.frozen() && !tape.recording()) {
    std::call_once(cache_->once, [&] { cache_->weight = fold(tape); });
    ready = cache_->weight;
  }
  const bool fits = ready.defined() && ready.value().type() == tape.activations();
  return fits ? ready : weight_norm(tape, direction_, length_);
}

NormedWeight NormedWeight::folded(Tape& tape) const {
  NormedWeight result = *this;
  result.folded_ = direction_.frozen() ? (*this)(tape) : fold(tape);
  return result;
}

Variable NormedWeight::fold(Tape& tape) const {
  const Variable weight(weight_norm(tape, direction_, length_).value());
  weight.freeze();
  return weight;
}

NormedLinear::NormedLinear(ParameterStore& store, const std::string& name, const Options& options)
    : weight_(store, name, options.inputs, options.outputs, linear_deviation(options)),
      bias_(store.add(name + ".bias", {options.outputs}, constant(0))) {}

Variable NormedLinear::operator()(Tape& tape, const Variable& x) const {
  return linear(tape, x, weight_(tape), bias_);
}

NormedLinear NormedLinear::folded(Tape& tape) const {
  NormedLinear result = *this;
  result.weight_ = weight_.folded(tape);
  return result;
}

NormedConvolution::NormedConvolution(ParameterStore& store, const std::string& name,
                                     const Options& options)
    : options_(options),
      weight_(store, name, options.width * options.inputs, options.outputs,
              gated_deviation(options)),
      bias_(store.add(name + ".bias", {options.outputs}, constant(0))) {}

Variable NormedConvolution::operator()(Tape& tape, const Variable& x,
                                       std::span<const int32_t> offsets, double probability) const {
  if (options_.width == 1) return linear(tape, dropout(tape, probability, x), weight_(tape), bias_);
  const int64_t left =
      options_.sight == Sight::kCausal ? options_.width - 1 : (options_.width - 1) / 2;
  return convolution(tape, x, weight_(tape), bias_, {offsets, options_.width, left}, probability);
}

Variable NormedConvolution::step(Tape& tape, const Variable& x, int64_t count,
                                 InputWindow& window) const {
  return linear(tape, Variable(window.push(x.value(), count)), weight_(tape), bias_);
}

NormedConvolution NormedConvolution::folded(Tape& tape) const {
  NormedConvolution result = *this;
  result.weight_ = weight_.folded(tape);
  return result;
}

}  // namespace skein
