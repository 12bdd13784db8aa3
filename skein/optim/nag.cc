#include "skein/optim/nag.h"

namespace skein {
namespace {

constexpr double kDefaultMomentum = 0.99;  // as in the reference

}  // namespace

Nag::Nag(const OptimizerOptions& options, const FlatParameters& parameters)
    : parameters_(parameters),
      buffer_(Tensor::zeros(parameters.values.shape(), DType::kF32)),
      step_{.momentum =
                static_cast<float>(options.momentum < 0 ? kDefaultMomentum : options.momentum),
            .weight_decay = static_cast<float>(options.weight_decay)} {}

void Nag::step(const UpdateStep& step) {
  step_.previous_lr = step_.lr;
  step_.lr = static_cast<float>(step.lr);
  step_.gradient_scale = static_cast<float>(step.gradient_scale);
  kernels::nag(step_, parameters_.gradients, parameters_.values, buffer_, parameters_.half);
}

std::vector<NamedTensor> Nag::state_tensors() const {
  std::vector<NamedTensor> all;
  append_state(parameters_, buffer_, "momentum", all);
  return all;
}

NamedNumbers Nag::state_numbers() const { return {{"previous_lr", step_.lr}}; }

void Nag::restore_numbers(const NamedNumbers& numbers) {
  step_.lr = static_cast<float>(number_of(numbers, "previous_lr", "optimizer"));
}

}  // namespace skein
