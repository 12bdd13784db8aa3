// Sums of float32 over all ranks, bitwise the same on every rank and in every run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggbox/aggbox/block_float.h"
#include "aggbox/aggbox/exchange.h"
#include "aggbox/aggbox/pipeline.h"

namespace aggbox {

// values: this rank's, and afterwards the sums, each multiplied by `factor`.
// So few values that all ranks' fit into one chunk go as they are and are added in double
// precision, in the order of ranks. More go as block floats (block_float.h), 352 to a block, after
// an exchange of exponents; blocks with NaN or infinities go as they are, and follow IEEE 754.
void sum_floats(Pipeline& pipeline, std::uint32_t rank, std::uint32_t size, std::span<float> values,
                double factor);

}  // namespace aggbox
