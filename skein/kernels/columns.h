// Blocks of columns of matrices.
#pragma once

#include "skein/tensor/tensor.h"

namespace skein::kernels {

// Both of the same type, rows and columns; they may not overlap.
void copy_columns(const MatrixView& from, const MatrixView& to);

}  // namespace skein::kernels
