#include "skein/kernels/norm.h"

#include <memory>
#include <utility>

#include "skein/autograd/functions.h"

namespace skein {
namespace {

struct NormRecord {
  Tensor sum;
  kernels::NormStatistics statistics;
  NormParameters norm;
  kernels::Dropout dropout;
  std::shared_ptr<Gradient> x_gradient;         // may be null
  std::shared_ptr<Gradient> residual_gradient;  // may be null
  std::shared_ptr<Gradient> sum_gradient;       // what else uses the sum; may be null
  std::shared_ptr<Gradient> y_gradient;

  void run() {
    const bool parameters = norm.gain.needs_gradient();
    Tensor none;
    Tensor d_sum = Tensor::uninitialized(sum.shape(), sum.type());
    Tensor d_x;
    if (dropout.probability > 0) d_x = Tensor::uninitialized(sum.shape(), sum.type());
    Tensor d_gain;
    Tensor d_bias;
    bool accumulate = false;
    if (parameters) {
      const auto gain_target = norm.gain.gradient()->target(norm.gain.shape(), DType::kF32);
      d_gain = gain_target.buffer;
      accumulate = gain_target.accumulate;
      d_bias = norm.bias.gradient()->target(norm.bias.shape(), DType::kF32).buffer;
    }
    kernels::layer_norm_gradient(
        {.sum = sum,
         .gain = norm.gain.value(),
         .statistics = statistics,
         .dy = y_gradient->tensor(),
         .d_sum_extra = sum_gradient && !sum_gradient->empty() ? sum_gradient->tensor() : none,
         .dropout = dropout,
         .d_sum = d_sum,
         .d_x = d_x,
         .d_gain = d_gain,
         .d_bias = d_bias,
         .accumulate = accumulate});
    if (residual_gradient) residual_gradient->add(d_sum);
    if (x_gradient) x_gradient->add(dropout.probability > 0 ? std::move(d_x) : std::move(d_sum));
  }
};

}  // namespace

Variable layer_norm(Tape& tape, const Variable& x, const NormParameters& norm) {
  return residual_norm(tape, x, Variable(), 0, norm).normalized;
}

ResidualNorm residual_norm(Tape& tape, const Variable& x, const Variable& residual,
                           double probability, const NormParameters& norm) {
  const kernels::Dropout mask = tape.next_dropout(probability);
  const Shape shape = x.shape();
  const DType type = x.value().type();
  Tensor none;
  Tensor sum =
      residual.defined() || mask.probability > 0 ? Tensor::uninitialized(shape, type) : Tensor();
  Tensor y = Tensor::uninitialized(shape, type);
  kernels::NormStatistics statistics{Tensor::uninitialized({x.value().rows()}, DType::kF32),
                                     Tensor::uninitialized({x.value().rows()}, DType::kF32)};
  kernels::layer_norm({.x = x.value(),
                       .residual = residual.defined() ? residual.value() : none,
                       .gain = norm.gain.value(),
                       .bias = norm.bias.value(),
                       .epsilon = norm.epsilon,
                       .dropout = mask,
                       .sum = sum,
                       .y = y,
                       .statistics = statistics});
  if (!sum.defined()) sum = x.value();
  const bool needs_gradient = tape.recording();
  ResidualNorm output{Variable(sum, needs_gradient), Variable(std::move(y), needs_gradient)};
  if (!needs_gradient) return output;
  auto record = std::make_shared<NormRecord>(
      NormRecord{std::move(sum), std::move(statistics), norm, mask, x.gradient(),
                 residual.defined() ? residual.gradient() : nullptr, output.sum.gradient(),
                 output.normalized.gradient()});
  tape.record({.output = output.normalized.gradient(),
               .inputs = [record] { record->run(); },
               .weights = nullptr});
  return output;
}

}  // namespace skein
