// Sums of float32 over all ranks, bitwise the same on every rank and in every run.
#pragma once

#include <cstdint>
#include <span>

#include "aggbox/aggbox/exchanger.h"
#include "aggbox/aggbox/reduction.h"

namespace aggbox {

struct FloatSum {
  double factor = 1;  // of the sums
  Lanes lanes = Lanes::kInt32;
  // As long as the values, or empty. What the values have lost when they became lanes: added to
  // them before, and kept here for the next time (error feedback, Seide et al. 2014).
  std::span<float> residual = {};
  std::uint64_t seed = 0;  // of the random rounding of kInt8
};

// values: this rank's, and afterwards the sums, each multiplied by `factor`.
// So few values that all ranks' fit into one chunk go as they are and are added in double
// precision, in the order of ranks. More go as block floats (block_float.h), 352 to a block, after
// an exchange of exponents; blocks with NaN or infinities go as they are, and follow IEEE 754.
void sum_floats(Exchanger& exchanger, std::uint32_t rank, std::uint32_t size,
                std::span<float> values, const FloatSum& sum);

}  // namespace aggbox
