// Element access for code that is not vectorised.
#pragma once

#include <cstdint>

#include "skein/tensor/tensor.h"

namespace skein::kernels {

inline float load(const std::byte* data, DType type, int64_t index) {
  return type == DType::kF32 ? reinterpret_cast<const float*>(data)[index]
                             : static_cast<float>(reinterpret_cast<const BFloat16*>(data)[index]);
}
inline float load(const Tensor& tensor, int64_t index) {
  return load(tensor.raw(), tensor.type(), index);
}
inline float load(const MatrixView& view, int64_t row, int64_t column) {
  return load(view.data, view.type, row * view.stride + column);
}
inline void store(std::byte* data, DType type, int64_t index, float value) {
  if (type == DType::kF32) {
    reinterpret_cast<float*>(data)[index] = value;
  } else {
    reinterpret_cast<BFloat16*>(data)[index] = BFloat16(value);
  }
}
inline void store(Tensor& tensor, int64_t index, float value) {
  store(tensor.raw(), tensor.type(), index, value);
}
inline void store(const MatrixView& view, int64_t row, int64_t column, float value) {
  store(view.data, view.type, row * view.stride + column, value);
}

}  // namespace skein::kernels
