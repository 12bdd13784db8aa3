// The output projection and its loss in one function, so that no [tokens, vocabulary] f32 tensor
// exists.
#pragma once

#include <cstdint>
#include <span>

#include "skein/autograd/tape.h"
#include "skein/autograd/variable.h"

namespace skein {

struct LossSums {
  double smoothed = 0;  // label-smoothed loss, natural logarithm, summed over tokens
  double plain = 0;     // negative log-likelihood, summed over tokens
  int64_t tokens = 0;
};

struct Loss {
  Variable variable;  // [1] f32: the smoothed sum
  LossSums sums;
};

// features [n, c] · weightᵀ [c, v] + bias [v] (may be undefined) → softmax → label-smoothed cross
// entropy with `targets` [n], summed (kernels/cross_entropy.h). The sum is not divided by the
// number of tokens: the update does that, so that batches, accumulated steps and ranks simply add.
struct ProjectedCrossEntropy {
  Variable features;
  Variable weight;
  Variable bias;
  std::span<const int32_t> targets;
  double smoothing = 0;
};
Loss projected_cross_entropy(Tape& tape, const ProjectedCrossEntropy& arguments);

// The sum of several losses, tokens included.
Loss sum(Tape& tape, std::span<const Loss> parts);

}  // namespace skein
