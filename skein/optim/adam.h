// Adam (Kingma & Ba 2015) with decoupled weight decay, in its two customary forms: Adam adds
// epsilon to the uncorrected root of the variance, as the reference does; AdamW (Loshchilov &
// Hutter 2019, as PyTorch computes it) to the corrected one.
//
// Read beta1, beta2, epsilon, weight_decay.
#pragma once

#include "skein/kernels/update.h"
#include "skein/optim/optimizer.h"

namespace skein {

class Adam : public Optimizer {
 public:
  Adam(const OptimizerOptions& options, const FlatParameters& parameters);

  void step(const UpdateStep& step) override;
  std::vector<NamedTensor> state_tensors() const override;
  NamedNumbers state_numbers() const override;
  void restore_numbers(const NamedNumbers& numbers) override;

 protected:
  enum class Epsilon { kUncorrected, kCorrected };
  Adam(const OptimizerOptions& options, const FlatParameters& parameters, Epsilon epsilon);

 private:
  FlatParameters parameters_;
  Tensor mean_;
  Tensor variance_;
  kernels::AdamStep step_;  // its `step` counts the updates made
};

class AdamW final : public Adam {
 public:
  AdamW(const OptimizerOptions& options, const FlatParameters& parameters)
      : Adam(options, parameters, Epsilon::kCorrected) {}
};

}  // namespace skein
