// What becomes of the sums of a product: bias, what was there before, relu, the type of out.
#pragma once

#include <cstdint>

#include "skein/kernels/simd.h"

namespace skein::kernels {

struct ProductTail {
  Elements out;  // [rows, n]
  int64_t n = 0;
  Elements bias;  // [n] or absent
  bool accumulate = false;
  bool relu = false;
};

// A tile of sums: rows [row, row + rows), columns [column, min(column + columns, n)).
struct ProductTile {
  const float* sums = nullptr;  // rows are `columns` apart
  int64_t row = 0, rows = 0, column = 0, columns = 0;
};

void finish(const ProductTail& tail, const ProductTile& tile);

}  // namespace skein::kernels
