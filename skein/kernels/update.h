// Fused parameter updates over flat f32 buffers. `half` (bf16, may be undefined) receives the new
// values rounded.
#pragma once

#include <cstdint>

#include "skein/tensor/tensor.h"

namespace skein::kernels {

// Adam (Kingma & Ba 2015) as in the reference: values -= weight_decay * lr * values; then mean and
// variance are updated with gradient_scale * gradient, and values -= lr sqrt(1 - beta2^t) / (1 -
// beta1^t) * mean / (sqrt(variance) + epsilon). `corrected_epsilon` (AdamW, Loshchilov & Hutter
// 2019, as PyTorch computes it): epsilon is added to the corrected root.
struct AdamStep {
  double lr = 0;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  float gradient_scale = 1;
  int64_t step = 1;  // t, from 1
  bool corrected_epsilon = false;
};
void adam(const AdamStep& step, const Tensor& gradient, Tensor& values, Tensor& mean,
          Tensor& variance, Tensor& half);

// Nesterov's accelerated gradient as in the reference: c = lr / previous_lr (lr if that was 0);
// values = values (1 - lr wd) + m² c buffer - (1 + m) lr g; buffer = m c buffer - lr g.
struct NagStep {
  double lr = 0;
  double previous_lr = 0;
  double momentum = 0.99;
  double weight_decay = 0;
  float gradient_scale = 1;
};
void nag(const NagStep& step, const Tensor& gradient, Tensor& values, Tensor& buffer, Tensor& half);

// Stochastic gradient descent with optional momentum (buffer undefined: none): g += wd values;
// buffer = m buffer + g; values -= lr buffer.
struct SgdStep {
  double lr = 0;
  double momentum = 0;
  double weight_decay = 0;
  float gradient_scale = 1;
};
void sgd(const SgdStep& step, const Tensor& gradient, Tensor& values, Tensor& buffer, Tensor& half);

// average += (1 - decay) (values - average)
void moving_average(double decay, const Tensor& values, Tensor& average);

}  // namespace skein::kernels
