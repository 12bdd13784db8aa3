// What every vectorised file includes first: which instruction sets Highway compiles for, and
// tensors of f32 or bf16 as streams of f32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "skein/tensor/tensor.h"

// AVX3 (AVX-512), AVX2, NEON and the baseline. Others differ from these in nothing that our kernels
// use (bits 0..7: what AVX-512 has gained since; 11, 12: SSE4, SSSE3), or have vectors of unknown
// size that no struct can hold (23..27: SVE; 37: RVV). Each would cost compile time.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (0xFFLL | (1LL << 11) | (1LL << 12) | (0x1FLL << 23) | (1LL << 37))

namespace skein::kernels {

// Elements that are read and written as f32 whatever they are stored as.
struct Elements {
  std::byte* data = nullptr;  // nullptr: absent
  bool half = false;          // bf16, else f32

  explicit operator bool() const { return data != nullptr; }
  Elements from(int64_t index) const { return {data + index * (half ? 2 : 4), half}; }
};

inline Elements elements(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  return {const_cast<std::byte*>(tensor.raw()), tensor.type() == DType::kBF16};
}
// From the first row on; rows are view.stride elements apart.
inline Elements elements(const MatrixView& view) { return {view.data, view.type == DType::kBF16}; }

}  // namespace skein::kernels
