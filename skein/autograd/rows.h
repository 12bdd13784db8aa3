// Differentiable functions of some rows of packed batches, and of weights that are put together
// from parameters. They share the conventions of functions.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skein/autograd/tape.h"
#include "skein/autograd/variable.h"

namespace skein {

// x[rows] [m, c] of x [n, c]. Throws ShapeError unless the rows ascend.
Variable select_rows(Tape& tape, const Variable& x, std::span<const int32_t> rows);

// The other way: row i of `values` [m, c] is row rows[i] of the whole.
struct PlacedRows {
  Variable values;
  std::vector<int32_t> rows;
};
// [n, columns] in the tape's type. Throws ShapeError unless every row of n is in one of the parts,
// and once.
Variable merge_rows(Tape& tape, std::vector<PlacedRows> parts, int64_t n, int64_t columns);

// Weights in the tape's type, of parameters: a [n, c] above b [m, c], and x [n, c] transposed.
Variable concatenate_rows(Tape& tape, const Variable& a, const Variable& b);
Variable transpose(Tape& tape, const Variable& x);

}  // namespace skein
