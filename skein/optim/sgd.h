// Stochastic gradient descent, with momentum if asked for (PyTorch's form: the buffer sums
// gradients). Weight decay is added to the gradient.
//
// Reads momentum (default 0: no buffer) and weight_decay.
#pragma once

#include "skein/kernels/update.h"
#include "skein/optim/optimizer.h"

namespace skein {

class Sgd final : public Optimizer {
 public:
  Sgd(const OptimizerOptions& options, const FlatParameters& parameters);

  void step(const UpdateStep& step) override;
  std::vector<NamedTensor> state_tensors() const override;

 private:
  FlatParameters parameters_;
  Tensor buffer_;  // undefined without momentum
  kernels::SgdStep step_;
};

}  // namespace skein
