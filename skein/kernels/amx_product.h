// Products of bf16 on AMX tiles (Intel 64 and IA-32 Architectures Software Developer's Manual,
// TDPBF16PS), for few rows or many, with a right factor that is laid out once. Every element is
// summed in the same order, whatever rows are beside it.
#pragma once

#include <cstdint>

#include "skein/kernels/product_tail.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

// True if this processor has AMX for bf16, the system lets this program use it, and oneDNN would.
bool amx_products();

// b [k, n], or [n, k] with `transposed`, bf16 → tiles: blocks of 32 columns, each by 32 rows of b,
// filled with zeros.
Tensor pack_amx(const Tensor& b, bool transposed);

// tail of a [rows, k] b, f32 sums.
struct AmxProduct {
  const std::byte* a = nullptr;  // bf16
  int64_t rows = 0, k = 0;
  const std::byte* b = nullptr;  // pack_amx()
  ProductTail tail;
};
void multiply(const AmxProduct& product);

}  // namespace skein::kernels
