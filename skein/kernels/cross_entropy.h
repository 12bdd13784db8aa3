// Softmax with label-smoothed cross entropy (Szegedy et al. 2016), fused.
#pragma once

#include <cstdint>
#include <span>

#include "skein/tensor/tensor.h"

namespace skein::kernels {

struct CrossEntropySums {
  double smoothed = 0;  // natural-log sums over rows
  double plain = 0;     // negative log-likelihood of the targets
};

// logits [n, v] f32. With e = smoothing / (v - 1): loss = (1 - smoothing - e) nll + e Σ_w -log p_w,
// that is 1 - smoothing on the target and e on every other word. d_logits [n, v] (f32 or bf16, may
// be undefined, may be `logits` itself) = gradient of the summed smoothed loss. Throws ShapeError
// for a target outside [0, v).
CrossEntropySums cross_entropy(const Tensor& logits, std::span<const int32_t> targets,
                               float smoothing, Tensor& d_logits);

// out [n, v] f32 = logits - log Σ exp(logits), row by row; may be in place.
void log_softmax(const Tensor& logits, Tensor& out);

}  // namespace skein::kernels
