#include "skein/kernels/norm.h"

#include <memory>
#include <utility>

#include "skein/autograd/functions.h"
#include "skein/kernels/check.h"

namespace skein {
namespace {

struct NormRecord {
  Tensor sum;
  kernels::NormStatistics statistics;
  NormParameters norm;
  kernels::Dropout dropout;
  std::shared_ptr<Gradient> x_gradient;         // may be null
  std::shared_ptr<Gradient> residual_gradient;  // may be null
  std::shared_ptr<Gradient> sum_gradient;       // what else uses the sum
  std::shared_ptr<Gradient> y_gradient;

  void run() {
    if (y_gradient->empty()) {
      pass_on_sum();
    } else {
      normalization();
    }
  }

 private:
  // Only the sum was used.
  void pass_on_sum() {
    const Tensor& d_sum = sum_gradient->tensor();
    Tensor d_x = d_sum;
    if (dropout.probability > 0) {
      d_x = Tensor::uninitialized(sum.shape(), sum.type());
      kernels::dropout(dropout, d_sum, d_x);
    }
    hand_over(d_sum, std::move(d_x));
  }

  void normalization() {
    const Tensor none;
    Tensor d_sum = Tensor::uninitialized(sum.shape(), sum.type());
    Tensor d_x;
    if (dropout.probability > 0) d_x = Tensor::uninitialized(sum.shape(), sum.type());
    ParameterTargets parameters = parameter_targets();
    kernels::layer_norm_gradient(
        {.sum = sum,
         .gain = norm.gain.value(),
         .statistics = statistics,
         .dy = y_gradient->tensor(),
         .d_sum_extra = sum_gradient->empty() ? none : sum_gradient->tensor(),
         .dropout = dropout,
         .d_sum = d_sum,
         .d_x = d_x,
         .d_gain = parameters.gain,
         .d_bias = parameters.bias,
         .accumulate = parameters.accumulate});
    if (dropout.probability == 0) d_x = d_sum;
    hand_over(std::move(d_sum), std::move(d_x));
  }

  void hand_over(Tensor d_sum, Tensor d_x) const {
    if (residual_gradient) residual_gradient->add(std::move(d_sum));
    if (x_gradient) x_gradient->add(std::move(d_x));
  }

  // Both undefined if neither parameter needs a gradient; otherwise a frozen one has a place that
  // is thrown away, since the kernel computes both or none.
  struct ParameterTargets {
    Tensor gain;
    Tensor bias;
    bool accumulate = false;
  };
  ParameterTargets parameter_targets() const {
    if (!norm.gain.needs_gradient() && !norm.bias.needs_gradient()) return {};
    auto [gain, gain_filled] = target_of(norm.gain);
    auto [bias, bias_filled] = target_of(norm.bias);
    const bool accumulate = gain_filled || bias_filled;
    if (accumulate && !gain_filled) gain.fill_zero();
    if (accumulate && !bias_filled) bias.fill_zero();
    return {gain, bias, accumulate};
  }

  static std::pair<Tensor, bool> target_of(const Variable& parameter) {
    if (!parameter.needs_gradient()) {
      return {Tensor::uninitialized(parameter.shape(), DType::kF32), false};
    }
    const auto target = parameter.gradient()->target(parameter.shape(), DType::kF32);
    return {target.buffer, target.accumulate};
  }
};

void require_fitting(const Variable& x, const Variable& residual, const NormParameters& norm) {
  const Tensor& values = x.value();
  kernels::require_elements("residual_norm", "gain", norm.gain.value(), values.columns());
  kernels::require_elements("residual_norm", "bias", norm.bias.value(), values.columns());
  if (!residual.defined()) return;
  kernels::require_type("residual_norm", "residual", residual.value(), values.type());
  kernels::require_matrix("residual_norm", "residual", residual.value(), values.rows(),
                          values.columns());
}

}  // namespace

Variable layer_norm(Tape& tape, const Variable& x, const NormParameters& norm) {
  return residual_norm(tape, x, Variable(), 0, norm).normalized;
}

ResidualNorm residual_norm(Tape& tape, const Variable& x, const Variable& residual,
                           double probability, const NormParameters& norm) {
  const kernels::Dropout mask = tape.next_dropout(probability);
  require_fitting(x, residual, norm);
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
  tape.check(y, "layer_norm", norm.gain);
  const bool needs_gradient = tape.recording();
  ResidualNorm output{Variable(sum, needs_gradient), Variable(std::move(y), needs_gradient)};
  if (!needs_gradient) return output;
  auto record = std::make_shared<NormRecord>(
      NormRecord{std::move(sum), std::move(statistics), norm, mask, x.gradient(),
                 residual.defined() ? residual.gradient() : nullptr, output.sum.gradient(),
                 output.normalized.gradient()});
  tape.record({.outputs = {output.normalized.gradient(), output.sum.gradient()},
               .inputs = [record] { record->run(); },
               .weights = nullptr});
  return output;
}

}  // namespace skein
