// Products of f32 with a right factor that is laid out once, for few rows or many, without code
// generated for a shape. Every element is one chain of multiply-adds over k in ascending order,
// whatever rows are beside it.
#pragma once

#include <cstdint>

#include "skein/kernels/product_tail.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

// b [k, n], or [n, k] with `transposed`, f32 → [panels (panels.h), k, kPanelColumns]
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
