// The norm of all gradients together, and clipping by it. Pascanu et al. 2013, algorithm 1.
#pragma once

#include <cstdint>
#include <span>

#include "skein/base/settings.h"
#include "skein/optim/flat_parameters.h"

namespace skein {

// In float64, over blocks of fixed size: the same to the bit for every number of threads. NaN or
// infinite if and only if a value is.
double sum_of_squares(std::span<const float> values);

struct Clipping {
  double norm = 0;            // of the gradients times the scale that was given
  double gradient_scale = 1;  // the scale that was given, times the clipping factor
};

// The factor is min(1, max_norm / (norm + 1e-6)); max_norm 0: no clipping. The gradients stay as
// they are; the optimiser's step multiplies. Throws NonFiniteError, naming the first parameter
// whose gradient holds NaN or infinite values, and the update.
Clipping clip_by_global_norm(const FlatParameters& parameters, double gradient_scale,
                             double max_norm, int64_t update);
// The same where the sum of squares is known (of all shards, say), and finite.
Clipping clip_known_norm(double sum_of_squares, double gradient_scale, double max_norm);

// Throws NonFiniteError as above, if a gradient is not finite.
void require_finite_gradients(const FlatParameters& parameters, int64_t update);

}  // namespace skein
