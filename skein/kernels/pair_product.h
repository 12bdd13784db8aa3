// Products of bf16 by dot products of pairs (VDPBF16PS of AVX512_BF16), on processors that have
// them but no matrix tiles, with a right factor that is laid out once. Every element is one chain
// over k in ascending order, two at a time, whatever rows are beside it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skein/kernels/product_tail.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

// True if this processor has AVX512_BF16, and oneDNN would use it.
bool pair_products();

// b [k, n], or [n, k] with `transposed`, bf16 → [panels, pairs of rows, kPanelColumns, 2], filled
// with zeros.
Tensor pack_pairs(const Tensor& b, bool transposed);

// tail of a [rows, k] b, f32 sums.
struct PairProduct {
  const std::byte* a = nullptr;  // bf16
  int64_t rows = 0, k = 0;
  const std::byte* panels = nullptr;  // pack_pairs()
  ProductTail tail;
};
void multiply(const PairProduct& product);

}  // namespace skein::kernels
