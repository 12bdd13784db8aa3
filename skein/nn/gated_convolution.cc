#include "skein/nn/gated_convolution.h"

#include <fmt/format.h>

#include "skein/autograd/functions.h"
#include "skein/base/error.h"

namespace skein {
namespace {

NormedConvolution::Options convolution_options(const GatedConvolution::Options& options) {
  return {.inputs = options.widths.back(),
          .outputs = 2 * options.layer.width,
          .width = options.layer.kernel,
          .sight = options.sight,
          .dropout = options.dropout};
}

// Where the residual connection begins.
int64_t residual_width(const GatedConvolution::Options& options) {
  const auto back = static_cast<size_t>(options.layer.residual);
  if (back > options.widths.size()) {
    throw UsageError(fmt::format("a residual connection over {} layers, of which there are {}",
                                 back, options.widths.size()));
  }
  return options.widths[options.widths.size() - back];
}

}  // namespace

GatedConvolution::GatedConvolution(ParameterStore& store, const std::string& name,
                                   const Options& options)
    : dropout_(options.dropout),
      residual_(options.layer.residual),
      convolution_(store, name + ".convolution", convolution_options(options)),
      weights_(2 * options.layer.width * options.layer.kernel * options.widths.back()) {
  if (residual_ == 0) return;
  const int64_t width = residual_width(options);
  if (width == options.layer.width) return;
  projection_.emplace(store, name + ".projection",
                      NormedLinear::Options{.inputs = width, .outputs = options.layer.width});
  weights_ += width * options.layer.width;
}

Variable GatedConvolution::gates(Tape& tape, const Variable& x,
                                 std::span<const int32_t> offsets) const {
  return convolution_(tape, x, offsets, dropout_);
}

Variable GatedConvolution::gates_step(Tape& tape, const Variable& x, int64_t count,
                                      InputWindow& window) const {
  return convolution_.step(tape, x, count, window);
}

Variable GatedConvolution::output(Tape& tape, const Variable& gates,
                                  std::span<const Variable> history, const Attend& attend) const {
  Variable residual;
  if (residual_ > 0) {
    residual = history[history.size() - static_cast<size_t>(residual_)];
    if (projection_) residual = (*projection_)(tape, residual);
  }
  const double factor = residual.defined() ? kResidualScale : 1;
  if (!attend) return gated_sum(tape, gates, residual, factor);
  const Variable attended = attend(gated_sum(tape, gates, Variable(), 1));
  return residual.defined() ? scaled_sum(tape, attended, residual, factor) : attended;
}

GatedConvolution GatedConvolution::folded(Tape& tape) const {
  GatedConvolution result = *this;
  result.convolution_ = convolution_.folded(tape);
  if (projection_) result.projection_ = projection_->folded(tape);
  return result;
}

std::vector<GatedConvolution> make_gated_convolutions(ParameterStore& store,
                                                      const std::string& name, int64_t inputs,
                                                      std::span<const ConvolutionLayer> layers,
                                                      NormedConvolution::Sight sight,
                                                      double dropout) {
  std::vector<GatedConvolution> result;
  std::vector<int64_t> widths = {inputs};
  for (const ConvolutionLayer& layer : layers) {
    result.emplace_back(store, fmt::format("{}.layers.{}", name, result.size()),
                        GatedConvolution::Options{
                            .widths = widths, .layer = layer, .sight = sight, .dropout = dropout});
    widths.push_back(layer.width);
  }
  return result;
}

}  // namespace skein
