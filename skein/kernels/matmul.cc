#include "skein/kernels/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/elementwise.h"
#include "skein/kernels/product.h"
#include "skein/kernels/row_product.h"
#include "skein/tensor/arena.h"

namespace skein::kernels {
namespace {

// Generating code for a new number of rows takes a millisecond (oneDNN 2.6, AMX) and every batch
// has another one, so products run in blocks of kBlock rows and one rest that is a multiple of
// kRowUnit. Blocks are also 10 to 30 % faster than all rows at once, since their results stay in
// the cache.
constexpr int64_t kBlock = 256;
// From this many rows on, reordering b first costs less than it gains.
constexpr int64_t kRowsThatRepayPacking = 1024;
// Weight gradients sum over the rows of both factors, in steps of kDepth and one rest that is a
// multiple of kDepthUnit: 800 GFLOP/s a core against 500 all at once.
constexpr int64_t kDepth = 512;
constexpr int64_t kDepthUnit = 64;

void multiply_rows(const RowProduct& product) {
  const int64_t units = round_up(product.rows, kRowUnit) / kRowUnit;
  parallel_for_throwing(units, grain_of(product.shape, kRowUnit), [&](int64_t begin, int64_t end) {
    RowProduct block = product;
    for (int64_t row = begin * kRowUnit; row < end * kRowUnit; row += block.shape.m) {
      block.shape.m = std::min(kBlock, end * kRowUnit - row);
      multiply_block(block, row);
    }
  });
}

// out [m, n] f32 = aᵀ b, a [k, m] and b [k, n] by rows.
void multiply_columns(ProductShape shape, const Tensor& a, const Tensor& b, Tensor& out) {
  const int64_t depth = shape.k, a_row = size_in_bytes(shape.in, shape.m),
                b_row = size_in_bytes(shape.in, shape.n);
  for (int64_t row = 0; row < depth; row += kDepth, shape.accumulate = true) {
    const int64_t rows = std::min(kDepth, depth - row);
    shape.k = round_up(rows, kDepthUnit);
    const std::byte* a_part = a.raw() + row * a_row;
    const std::byte* b_part = b.raw() + row * b_row;
    if (rows == shape.k) {
      run_shape(shape, {.a = a_part, .b = b_part, .out = out.raw()});
      continue;
    }
    Tensor padded_a = Tensor::zeros({shape.k, shape.m}, shape.in);
    Tensor padded_b = Tensor::zeros({shape.k, shape.n}, shape.in);
    copy_rows(padded_a.raw(), a_row, a_part, a_row, rows, a_row);
    copy_rows(padded_b.raw(), b_row, b_part, b_row, rows, b_row);
    run_shape(shape, {.a = padded_a.raw(), .b = padded_b.raw(), .out = out.raw()});
  }
}

ProductShape shape_of(const Tensor& a, const Tensor& b, const Tensor& out,
                      const MatmulOptions& options) {
  require_float("matmul", "a", a);
  require_type("matmul", "b", b, a.type());
  require_float("matmul", "out", out);
  require_matmul_options(options, out);
  const ProductShape shape = {.m = options.transpose_a ? a.columns() : a.rows(),
                              .n = options.transpose_b ? b.rows() : b.columns(),
                              .k = options.transpose_a ? a.rows() : a.columns(),
                              .transpose_a = options.transpose_a,
                              .b = options.transpose_b ? Layout::kTransposed : Layout::kRows,
                              .accumulate = options.accumulate,
                              .bias = options.bias != nullptr,
                              .relu = options.activation == Activation::kRelu,
                              .in = a.type(),
                              .out = out.type()};
  if (a.elements() == 0 || b.elements() == 0) return shape;
  const int64_t b_k = options.transpose_b ? b.columns() : b.rows();
  if (b_k != shape.k) {
    throw ShapeError(fmt::format("matmul: a {}{} and b {}{} do not fit", a.shape().to_string(),
                                 options.transpose_a ? " transposed" : "", b.shape().to_string(),
                                 options.transpose_b ? " transposed" : ""));
  }
  require_matrix("matmul", "out", out, shape.m, shape.n);
  return shape;
}

// True if oneDNN has the product; else multiply_converted() makes it from others.
bool direct(const ProductShape& shape) {
  const bool sums_steps = shape.transpose_a && shape.k > kDepth;
  return shape.in == DType::kF32 ? shape.out == DType::kF32
                                 : bf16_products() && (shape.out == DType::kF32 || !sums_steps);
}

// By way of f32: factors where bf16 has no products, the result where it has to be summed in f32.
void multiply_converted(const Tensor& a, const Tensor& b, Tensor& out,
                        const MatmulOptions& options) {
  const bool keep = a.type() == DType::kBF16 && bf16_products();
  Tensor sum = options.accumulate ? out.converted(DType::kF32)
                                  : Tensor::uninitialized(out.shape(), DType::kF32);
  if (keep) {
    matmul(a, b, sum, options);
  } else {
    matmul(a.converted(DType::kF32), b.converted(DType::kF32), sum, options);
  }
  convert(sum, out);
}

}  // namespace

void matmul(const Tensor& a, const Tensor& b, Tensor& out, const MatmulOptions& options) {
  ProductShape shape = shape_of(a, b, out, options);
  if (out.elements() == 0) return;
  if (a.elements() == 0 || b.elements() == 0) {
    if (!options.accumulate) out.fill_zero();
    return;
  }
  if (!direct(shape)) return multiply_converted(a, b, out, options);
  const std::byte* bias = options.bias == nullptr ? nullptr : options.bias->raw();
  if (shape.transpose_a) {
    shape.threads = threads();
    if (options.transpose_b || shape.bias || shape.relu) {
      return run_shape(shape, {.a = a.raw(), .b = b.raw(), .out = out.raw(), .bias = bias});
    }
    return multiply_columns(shape, a, b, out);
  }
  RowProduct product = {
      .shape = shape, .a = a.raw(), .b = b.raw(), .bias = bias, .out = out.raw(), .rows = shape.m};
  const PackedShape packed = {.n = shape.n, .k = shape.k, .type = shape.in};
  std::shared_ptr<std::byte[]> packed_b;
  if (shape.m >= kRowsThatRepayPacking && packing_helps(packed)) {
    packed_b = allocate_tensor_memory(packed_bytes(packed));
    pack(packed, shape.b, b.raw(), packed_b.get());
    product.shape.b = Layout::kPacked;
    product.b = packed_b.get();
  }
  multiply_rows(product);
}

}  // namespace skein::kernels
