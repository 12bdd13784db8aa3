#include "skein/kernels/row_product.h"

#include <algorithm>
#include <cstring>

#include "skein/base/error.h"
#include "skein/kernels/check.h"
#include "skein/tensor/arena.h"

namespace skein::kernels {
namespace {

// Less work than this is not worth waking another thread: 20 us of one core.
constexpr int64_t kWorkPerThread = 10'000'000;

}  // namespace

void copy_rows(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride,
               int64_t rows, int64_t bytes) {
  for (int64_t r = 0; r < rows; ++r) {
    std::memcpy(to + r * to_stride, from + r * from_stride, static_cast<size_t>(bytes));
  }
}

void run_shape(const ProductShape& shape, ProductArguments arguments) {
  const auto product = find_product(shape);
  const auto scratchpad = allocate_tensor_memory(scratchpad_bytes(*product));
  arguments.scratchpad = scratchpad.get();
  run(*product, arguments);
}

void multiply_block(const RowProduct& p, int64_t row) {
  const ProductShape& shape = p.shape;
  const int64_t rows = std::min(shape.m, p.rows - row);
  const int64_t a_row = size_in_bytes(shape.in, shape.k);
  const int64_t out_row = size_in_bytes(shape.out, shape.n);
  const std::byte* a = p.a + row * a_row;
  std::byte* out = p.out + row * out_row;
  if (rows == shape.m) {
    run_shape(shape, {.a = a, .b = p.b, .out = out, .bias = p.bias});
    return;
  }
  Tensor padded = Tensor::zeros({shape.m, shape.k}, shape.in);
  Tensor tile = Tensor::uninitialized({shape.m, shape.n}, shape.out);
  copy_rows(padded.raw(), a_row, a, a_row, rows, a_row);
  if (shape.accumulate) {
    tile.fill_zero();
    copy_rows(tile.raw(), out_row, out, out_row, rows, out_row);
  }
  run_shape(shape, {.a = padded.raw(), .b = p.b, .out = tile.raw(), .bias = p.bias});
  copy_rows(out, out_row, tile.raw(), out_row, rows, out_row);
}

int64_t grain_of(const ProductShape& shape, int64_t rows) {
  return std::max<int64_t>(1, kWorkPerThread / std::max<int64_t>(1, rows * shape.n * shape.k));
}

void require_matmul_options(const MatmulOptions& options, const Tensor& out) {
  if (options.activation != Activation::kNone && options.activation != Activation::kRelu) {
    throw ShapeError("matmul: only relu can be fused with a product");
  }
  if (options.bias == nullptr) return;
  if (options.accumulate) throw ShapeError("matmul: a bias cannot be added to an accumulated out");
  require_type("matmul", "bias", *options.bias, DType::kF32);
  require_elements("matmul", "bias", *options.bias, out.columns());
}

}  // namespace skein::kernels
