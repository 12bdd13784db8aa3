#include "skein/optim/sgd.h"

#include <algorithm>

namespace skein {

Sgd::Sgd(const OptimizerOptions& options, const FlatParameters& parameters)
    : parameters_(parameters),
      step_{.momentum = static_cast<float>(std::max(options.momentum, 0.0)),
            .weight_decay = static_cast<float>(options.weight_decay)} {
  if (step_.momentum > 0) buffer_ = Tensor::zeros(parameters.values.shape(), DType::kF32);
}

void Sgd::step(const UpdateStep& step) {
  step_.lr = static_cast<float>(step.lr);
  step_.gradient_scale = static_cast<float>(step.gradient_scale);
  kernels::sgd(step_, parameters_.gradients, parameters_.values, buffer_, parameters_.half);
}

std::vector<NamedTensor> Sgd::state_tensors() const {
  std::vector<NamedTensor> all;
  if (buffer_.defined()) append_state(parameters_, buffer_, "momentum", all);
  return all;
}

}  // namespace skein
