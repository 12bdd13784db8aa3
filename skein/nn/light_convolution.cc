#include "skein/nn/light_convolution.h"

#include "skein/autograd/functions.h"

namespace skein {
namespace {

// The reference's deviations: a light kernel counts as one with a single input channel.
Variable make_kernel(ParameterStore& store, const std::string& name,
                     const LightConvolution::Options& options) {
  const int64_t heads = options.convolution.heads, taps = options.kernel;
  if (options.kind == LightConvolution::Kind::kLight) {
    return store.add(name + ".weight", {heads, taps}, xavier_uniform(taps, heads * taps));
  }
  return store.add(name + ".weight", {heads * taps, options.width},
                   xavier_uniform(options.width, heads * taps));
}

}  // namespace

LightConvolution::LightConvolution(ParameterStore& store, const std::string& name,
                                   const Options& options)
    : options_(options),
      in_(store, name + ".in",
          {.inputs = options.width, .outputs = options.glu ? 2 * options.width : options.width}),
      kernel_(make_kernel(store, name + ".kernel", options)),
      out_(store, name + ".out", {.inputs = options.width, .outputs = options.width}) {}

Variable LightConvolution::values(Tape& tape, const Variable& x) const {
  const Variable mapped = in_(tape, x);
  return options_.glu ? glu(tape, kernels::Gate::kSigmoid, mapped) : mapped;
}

Variable LightConvolution::operator()(Tape& tape, const Variable& x,
                                      std::span<const int32_t> offsets) const {
  const int64_t left =
      options_.sight == Sight::kCausal ? options_.kernel - 1 : (options_.kernel - 1) / 2;
  const kernels::Window window{offsets, options_.kernel, left};
  const Variable in = values(tape, x);
  if (options_.kind == Kind::kLight) {
    return out_(tape, light_convolution(tape, in, kernel_, window, options_.convolution));
  }
  const Variable scores = linear(tape, in, kernel_, Variable());
  return out_(tape, dynamic_convolution(tape, in, scores, window, options_.convolution));
}

Variable LightConvolution::step(Tape& tape, const Variable& x, int64_t count,
                                InputWindow& window) const {
  const Variable in = values(tape, x);
  const int64_t heads = options_.convolution.heads, taps = options_.kernel;
  Tensor weights = options_.kind == Kind::kLight ? kernel_.value().reshape({1, heads * taps}).copy()
                                                 : linear(tape, in, kernel_, Variable()).value();
  if (options_.convolution.softmax) kernels::tap_softmax(taps, weights, weights);
  Tensor y = Tensor::uninitialized(in.shape(), in.value().type());
  kernels::light_convolution_of_windows(heads, weights, window.push(in.value(), count), y);
  return out_(tape, Variable(std::move(y)));
}

int64_t LightConvolution::weights() const {
  const int64_t width = options_.width, taps = options_.kernel;
  const int64_t maps = (options_.glu ? 3 : 2) * width * width + taps * width;
  if (options_.kind == Kind::kLight) return maps;
  return maps + options_.convolution.heads * taps * width;
}

}  // namespace skein
