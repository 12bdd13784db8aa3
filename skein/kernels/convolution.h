// Convolutions over packed sentences as matrix products: each row becomes its window, the rows
// around it or up to it, and a window ends where its sentence ends.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "skein/kernels/elementwise.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

// The window of row t is rows t - left .. t - left + width - 1; those outside t's sentence count as
// zero.
struct Window {
  std::span<const int32_t> offsets;  // [sentences + 1]
  int64_t width = 1;
  int64_t left = 0;  // rows before t
};

// Throws ShapeError, naming the kernel, for a window that does not hold its own row, or offsets
// that do not divide `rows` rows into sentences.
void require_window(std::string_view kernel, const Window& window, int64_t rows);

// out [rows, width * c] = the windows of rows [first, first + rows) of x [n, c], each row after
// row; both f32 or both bf16. Throws as require_window().
void unfold(const Window& window, const Tensor& x, int64_t first, Tensor& out);

// The other way: rows [first, first + rows) of x [n, c], whole sentences, = dropout(the sum of what
// the windows [rows, width * c] hold of each row), or += with `accumulate`. Sums are f32.
struct Fold {
  Window window;
  const Tensor& windows;
  int64_t first = 0;
  Dropout dropout = {};  // of x, as kernels::dropout counts its elements
  bool accumulate = false;
};
void fold(const Fold& arguments, Tensor& x);

}  // namespace skein::kernels
