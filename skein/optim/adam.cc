#include "skein/optim/adam.h"

namespace skein {

Adam::Adam(const OptimizerOptions& options, const FlatParameters& parameters)
    : Adam(options, parameters, Epsilon::kUncorrected) {}

Adam::Adam(const OptimizerOptions& options, const FlatParameters& parameters, Epsilon epsilon)
    : parameters_(parameters),
      mean_(Tensor::zeros(parameters.values.shape(), DType::kF32)),
      variance_(Tensor::zeros(parameters.values.shape(), DType::kF32)),
      step_{.beta1 = static_cast<float>(options.beta1),
            .beta2 = static_cast<float>(options.beta2),
            .epsilon = static_cast<float>(options.epsilon),
            .weight_decay = static_cast<float>(options.weight_decay),
            .step = 0,
            .corrected_epsilon = epsilon == Epsilon::kCorrected} {}

void Adam::step(const UpdateStep& step) {
  step_.lr = static_cast<float>(step.lr);
  step_.gradient_scale = static_cast<float>(step.gradient_scale);
  ++step_.step;
  kernels::adam(step_, parameters_.gradients, parameters_.values, mean_, variance_,
                parameters_.half);
}

std::vector<NamedTensor> Adam::state_tensors() const {
  std::vector<NamedTensor> all;
  append_state(parameters_, mean_, "mean", all);
  append_state(parameters_, variance_, "variance", all);
  return all;
}

NamedNumbers Adam::state_numbers() const { return {{"step", static_cast<double>(step_.step)}}; }

void Adam::restore_numbers(const NamedNumbers& numbers) {
  step_.step = count_of(numbers, "step", "optimizer");
}

}  // namespace skein
