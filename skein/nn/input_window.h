// The last inputs of a causal convolution, for step-by-step decoding.
#pragma once

#include <cstdint>
#include <span>

#include "skein/tensor/tensor.h"

namespace skein {

class InputWindow {
 public:
  explicit InputWindow(int64_t width = 1) : width_(width) {}

  // x [rows, inputs]: the newest input of every row → [rows, width * inputs], with those before it,
  // zero before the first.
  const Tensor& push(const Tensor& x);
  // Row i becomes what row rows[i] was.
  void select(std::span<const int32_t> rows);

 private:
  int64_t width_;
  Tensor inputs_;  // undefined before the first push
};

}  // namespace skein
