#include "skein/kernels/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/check.h"

namespace skein::kernels {
namespace {

constexpr int64_t kBytesPerThread = 16384;
constexpr int64_t kTile = 32;

int64_t bytes_of_row(const Tensor& x) {
  return x.columns() * static_cast<int64_t>(size_of(x.type()));
}

// Calls copy(i) for every i below `rows`.
template <typename Copy>
void for_rows(size_t rows, int64_t bytes, Copy&& copy) {
  const int64_t grain = std::max<int64_t>(1, kBytesPerThread / std::max<int64_t>(1, bytes));
  parallel_for(static_cast<int64_t>(rows), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) copy(static_cast<size_t>(i));
  });
}

void require_rows(const char* kernel, std::span<const int32_t> rows, const Tensor& of) {
  for (const int32_t row : rows) {
    if (row >= 0 && row < of.rows()) continue;
    throw ShapeError(fmt::format("{}: row {} of a matrix of {} rows", kernel, row, of.rows()));
  }
}

template <typename Element>
void transpose_tile(const Element* x, Element* out, int64_t rows, int64_t columns, int64_t first) {
  for (int64_t c = first; c < std::min(first + kTile, columns); ++c) {
    for (int64_t r = 0; r < rows; ++r) out[c * rows + r] = x[r * columns + c];
  }
}

}  // namespace

void gather_rows(const Tensor& x, std::span<const int32_t> rows, Tensor& out) {
  require_float("gather_rows", "x", x);
  require_type("gather_rows", "out", out, x.type());
  require_matrix("gather_rows", "out", out, static_cast<int64_t>(rows.size()), x.columns());
  require_rows("gather_rows", rows, x);
  const auto bytes = static_cast<size_t>(bytes_of_row(x));
  for_rows(rows.size(), bytes_of_row(x), [&](size_t i) {
    std::memcpy(out.raw() + i * bytes, x.raw() + static_cast<size_t>(rows[i]) * bytes, bytes);
  });
}

void scatter_rows(const Tensor& x, std::span<const int32_t> rows, Tensor& into) {
  require_float("scatter_rows", "x", x);
  require_type("scatter_rows", "into", into, x.type());
  require_matrix("scatter_rows", "x", x, static_cast<int64_t>(rows.size()), into.columns());
  require_rows("scatter_rows", rows, into);
  if (std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) != rows.end()) {
    throw ShapeError("scatter_rows: rows must ascend");
  }
  const auto bytes = static_cast<size_t>(bytes_of_row(into));
  for_rows(rows.size(), bytes_of_row(into), [&](size_t i) {
    std::memcpy(into.raw() + static_cast<size_t>(rows[i]) * bytes, x.raw() + i * bytes, bytes);
  });
}

void transpose(const Tensor& x, Tensor& out) {
  const int64_t rows = x.rows(), columns = x.columns();
  require_float("transpose", "x", x);
  require_type("transpose", "out", out, x.type());
  require_matrix("transpose", "out", out, columns, rows);
  parallel_for((columns + kTile - 1) / kTile, 1, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) {
      if (x.type() == DType::kF32) {
        transpose_tile(x.data<float>(), out.data<float>(), rows, columns, tile * kTile);
      } else {
        transpose_tile(x.data<BFloat16>(), out.data<BFloat16>(), rows, columns, tile * kTile);
      }
    }
  });
}

}  // namespace skein::kernels
