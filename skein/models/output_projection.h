// From a model's features to the distribution of the next word.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "skein/autograd/adaptive_softmax.h"
#include "skein/autograd/loss.h"

namespace skein {

// features · weightᵀ + bias are the logits of the words; or the words are in bands.
struct OutputProjection {
  Variable weight;  // [vocabulary, features]
  Variable bias;    // [vocabulary] or undefined
  // In place of both.
  std::shared_ptr<const AdaptiveWeights> adaptive = nullptr;
};

// Logits [n, vocabulary] f32 of features [n, width]; of an adaptive softmax log-probabilities.
Tensor project(const Variable& features, const OutputProjection& output);

// Throws UsageError if an adaptive softmax is to be smoothed: training does not compute the
// probability of every word.
void require_smoothing(const OutputProjection& output, double smoothing);

// The loss of `targets` [n] under the distribution of features [n, width]; see
// projected_cross_entropy() and adaptive_cross_entropy(). Throws as require_smoothing().
Loss cross_entropy(Tape& tape, const Variable& features, const OutputProjection& output,
                   std::span<const int32_t> targets, double smoothing);

// log p of `targets` [n], without more memory than some rows' logits.
std::vector<float> target_log_probabilities(const Variable& features,
                                            const OutputProjection& output,
                                            std::span<const int32_t> targets);

}  // namespace skein
