// Convolutions over packed sentences as matrix products: each row becomes its window, the rows
// around it or up to it, and a window ends where its sentence ends.
#pragma once

#include <cstdint>
#include <span>

#include "skein/tensor/tensor.h"

namespace skein::kernels {

// The window of row t is rows t - left .. t - left + width - 1; those outside t's sentence count as
// zero.
struct Window {
  std::span<const int32_t> offsets;  // [sentences + 1]
  int64_t width = 1;
  int64_t left = 0;  // rows before t
};

// The rows whose windows hold row t: what the gradient of a convolution sums over.
inline Window mirrored(const Window& window) {
  return {window.offsets, window.width, window.width - 1 - window.left};
}

// out [rows, width * c] = the windows of rows [first, first + rows) of x [n, c], each row after
// row; both f32 or both bf16. Throws ShapeError for offsets that do not divide x into sentences.
void unfold(const Window& window, const Tensor& x, int64_t first, Tensor& out);

// weight [o, width * i], the taps of an output side by side → out [width * o, i], the taps one
// after another, the last first. With it, the gradient to the input is the convolution of the
// outputs' gradient in the mirrored window.
void mirrored_taps(int64_t width, const Tensor& weight, Tensor& out);

}  // namespace skein::kernels
