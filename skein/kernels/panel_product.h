// Products of f32 with a right factor that is laid out once, for few rows or many, without code
// generated for a shape. Every element is one chain of multiply-adds over k in ascending order,
// whatever rows are beside it.
#pragma once

#include <cstdint>

#include "skein/kernels/product_tail.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

// A panel is kPanelColumns columns of b side by side, row after row; the last is filled with zeros.
inline constexpr int64_t kPanelColumns = 64;

inline int64_t panel_count(int64_t columns) {
  return (columns + kPanelColumns - 1) / kPanelColumns;
}

// b [k, n], or [n, k] with `transposed`, f32 → [panels, k, kPanelColumns]
Tensor pack_panels(const Tensor& b, bool transposed);

// tail of a [rows, k] b.
struct PanelProduct {
  const float* a = nullptr;
  int64_t rows = 0, k = 0;
  const float* panels = nullptr;
  ProductTail tail;
};
void multiply(const PanelProduct& product);

}  // namespace skein::kernels
