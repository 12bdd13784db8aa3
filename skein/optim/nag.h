// Nesterov's accelerated gradient in the reference's form (Bengio et al. 2012, eq. 6-7): the
// momentum buffer holds past updates, and is rescaled when the rate changes.
//
// Reads momentum (default 0.99) and weight_decay.
#pragma once

#include "skein/kernels/update.h"
#include "skein/optim/optimizer.h"

namespace skein {

class Nag final : public Optimizer {
 public:
  Nag(const OptimizerOptions& options, const FlatParameters& parameters);

  void step(const UpdateStep& step) override;
  std::vector<NamedTensor> state_tensors() const override;
  NamedNumbers state_numbers() const override;
  void restore_numbers(const NamedNumbers& numbers) override;

 private:
  FlatParameters parameters_;
  Tensor buffer_;
  kernels::NagStep step_;  // its `lr` is that of the last update
};

}  // namespace skein
