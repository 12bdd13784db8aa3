// The blocks of rows that products are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>

#include "skein/base/parallel.h"
#include "skein/kernels/matmul.h"
#include "skein/kernels/product.h"

namespace skein::kernels {

// Blocks have a multiple of this many rows: two tiles of AMX.
inline constexpr int64_t kRowUnit = 32;

// out [rows, n] = a [rows, k] b.
struct RowProduct {
  ProductShape shape;  // of a block; m is set for each
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  const std::byte* bias = nullptr;
  std::byte* out = nullptr;
  int64_t rows = 0;
};
// Rows [row, row + shape.m); those past the last row are computed beside and thrown away.
void multiply_block(const RowProduct& product, int64_t row);

// Finds and runs a product with a scratchpad of its own.
void run_shape(const ProductShape& shape, ProductArguments arguments);
// Multiply-adds / this: how many blocks of so many rows one thread takes at least.
int64_t grain_of(const ProductShape& shape, int64_t rows);
// Strides in bytes.
void copy_rows(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride,
               int64_t rows, int64_t bytes);
void require_matmul_options(const MatmulOptions& options, const Tensor& out);

inline int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }
inline int64_t size_in_bytes(DType type, int64_t elements) {
  return elements * static_cast<int64_t>(size_of(type));
}

// parallel_for whose body may throw: one of the exceptions reaches the caller.
template <typename Body>
void parallel_for_throwing(int64_t count, int64_t grain, Body&& body) {
  std::exception_ptr failure;
  std::mutex mutex;
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    try {
      body(begin, end);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace skein::kernels
