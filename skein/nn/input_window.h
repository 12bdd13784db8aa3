// The last inputs of a causal convolution, for step-by-step decoding.
#pragma once

#include <cstdint>
#include <span>

#include "skein/tensor/tensor.h"

namespace skein {

class InputWindow {
 public:
  explicit InputWindow(int64_t width = 1) : width_(width) {}

  // x [rows * count, inputs]: the next `count` inputs of every row, row after row → [rows * count,
  // width * inputs]: each with those before it, zero before the first.
  Tensor push(const Tensor& x, int64_t count);
  // Row i becomes what row rows[i] was.
  void select(std::span<const int32_t> rows);

 private:
  int64_t width_;
  Tensor inputs_;  // [rows, width * inputs]: the newest window; undefined before the first push
};

}  // namespace skein
