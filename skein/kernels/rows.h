// Rows of matrices by their numbers, and transposed matrices.
#pragma once

#include <cstdint>
#include <span>

#include "skein/tensor/tensor.h"

namespace skein::kernels {

// out [m, c] = x[rows[0]], x[rows[1]], ... of x [n, c], of the same type. Throws ShapeError for a
// row outside x.
void gather_rows(const Tensor& x, std::span<const int32_t> rows, Tensor& out);

// into[rows[i]] = x[i]; of the same type. Throws ShapeError for rows that do not ascend (so that
// none is there twice) or lie outside `into`.
void scatter_rows(const Tensor& x, std::span<const int32_t> rows, Tensor& into);

// out [c, n] = xᵀ, x [n, c] of the same type. For weights of a layer: not vectorised.
void transpose(const Tensor& x, Tensor& out);

}  // namespace skein::kernels
