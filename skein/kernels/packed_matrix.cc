#include "skein/kernels/packed_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "skein/base/error.h"
#include "skein/kernels/amx_product.h"
#include "skein/kernels/check.h"
#include "skein/kernels/panel_product.h"
#include "skein/kernels/product.h"
#include "skein/kernels/row_product.h"

namespace skein::kernels {
namespace {

constexpr int64_t kSlice = 512;

DType product_type(DType type) {
  return type == DType::kBF16 && !bf16_products() ? DType::kF32 : type;
}

// Columns [first, first + columns) of b, packed.
Tensor pack_slice(const Tensor& b, bool transposed, int64_t first, int64_t columns) {
  const int64_t k = transposed ? b.columns() : b.rows(), n = transposed ? b.rows() : b.columns();
  const std::byte* from = b.raw();
  Tensor dense;
  if (transposed) {
    from += size_in_bytes(b.type(), first * k);
  } else if (columns != n) {
    dense = Tensor::uninitialized({k, columns}, b.type());
    const int64_t row = size_in_bytes(b.type(), columns);
    copy_rows(dense.raw(), row, from + size_in_bytes(b.type(), first), size_in_bytes(b.type(), n),
              k, row);
    from = dense.raw();
  }
  const PackedShape shape = {.n = columns, .k = k, .type = b.type()};
  Tensor packed = Tensor::uninitialized({static_cast<int64_t>(packed_bytes(shape))}, DType::kU8);
  pack(shape, transposed ? Layout::kTransposed : Layout::kRows, from, packed.raw());
  return packed;
}

ProductShape block_shape(const PackedMatrix& b, const Tensor& out, const MatmulOptions& options) {
  return {.m = kRowUnit,
          .k = b.k(),
          .b = Layout::kPacked,
          .accumulate = options.accumulate,
          .bias = options.bias != nullptr,
          .relu = options.activation == Activation::kRelu,
          .in = DType::kBF16,
          .out = out.type()};
}

void require_fitting(const Tensor& a, const PackedMatrix& b, const Tensor& out,
                     const MatmulOptions& options) {
  if (!b.defined()) throw ShapeError("matmul: the packed matrix is not defined");
  if (options.transpose_a || options.transpose_b) {
    throw ShapeError("matmul: a packed matrix cannot be multiplied transposed");
  }
  require_type("matmul", "a", a, b.type());
  require_float("matmul", "out", out);
  require_matmul_options(options, out);
  if (out.elements() == 0) return;
  require_matrix("matmul", "out", out, out.rows(), b.n());
  if (b.k() > 0) require_matrix("matmul", "a", a, out.rows(), b.k());
}

ProductTail tail_of(const PackedMatrix& b, Tensor& out, const MatmulOptions& options) {
  return {.out = elements(out),
          .n = b.n(),
          .bias = options.bias == nullptr ? Elements() : elements(*options.bias),
          .accumulate = options.accumulate,
          .relu = options.activation == Activation::kRelu};
}

void multiply_panels(const Tensor& a, const PackedMatrix& b, Tensor& out,
                     const MatmulOptions& options) {
  const Tensor rows = a.type() == DType::kF32 ? a : a.converted(DType::kF32);
  multiply(PanelProduct{.a = rows.data<float>(),
                        .rows = out.rows(),
                        .k = b.k(),
                        .panels = b.panels().data<float>(),
                        .tail = tail_of(b, out, options)});
}

void multiply_tiles(const Tensor& a, const PackedMatrix& b, Tensor& out,
                    const MatmulOptions& options) {
  multiply(AmxProduct{.a = a.raw(),
                      .rows = out.rows(),
                      .k = b.k(),
                      .b = b.tiles().raw(),
                      .tail = tail_of(b, out, options)});
}

void multiply_slices(const Tensor& a, const PackedMatrix& b, Tensor& out,
                     const MatmulOptions& options) {
  ProductShape shape = block_shape(b, out, options);
  const auto slices = static_cast<int64_t>(b.slices().size());
  shape.n = std::min(kSlice, b.n());
  const int64_t blocks = round_up(out.rows(), shape.m) / shape.m;
  parallel_for_throwing(blocks * slices, grain_of(shape, shape.m), [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const PackedMatrix::Slice& slice = b.slices()[static_cast<size_t>(task / blocks)];
      RowProduct product = {.shape = shape,
                            .a = a.raw(),
                            .b = slice.memory.raw(),
                            .out = out.raw() + size_in_bytes(out.type(), slice.first),
                            .rows = out.rows(),
                            .out_stride = b.n()};
      product.shape.n = slice.columns;
      if (options.bias != nullptr) {
        product.bias = options.bias->raw() + size_in_bytes(DType::kF32, slice.first);
      }
      multiply_block(product, task % blocks * shape.m);
    }
  });
}

}  // namespace

PackedMatrix::PackedMatrix(const Tensor& b, bool transposed) : defined_(true) {
  require_float("PackedMatrix", "b", b);
  type_ = b.type();
  if (b.elements() == 0) {
    n_ = transposed ? b.shape()[0] : b.columns();
    return;
  }
  k_ = transposed ? b.columns() : b.rows();
  n_ = transposed ? b.rows() : b.columns();
  if (product_type(type_) == DType::kF32) {
    panels_ = pack_panels(type_ == DType::kF32 ? b : b.converted(DType::kF32), transposed);
    return;
  }
  if (amx_products()) {
    tiles_ = pack_amx(b, transposed);
    return;
  }
  for (int64_t first = 0; first < n_; first += kSlice) {
    const int64_t columns = std::min(kSlice, n_ - first);
    slices_.push_back({first, columns, pack_slice(b, transposed, first, columns)});
  }
}

void matmul(const Tensor& a, const PackedMatrix& b, Tensor& out, const MatmulOptions& options) {
  require_fitting(a, b, out, options);
  if (out.elements() == 0) return;
  if (b.k() == 0) {
    if (!options.accumulate) out.fill_zero();
    return;
  }
  if (b.tiles().defined()) return multiply_tiles(a, b, out, options);
  if (b.panels().defined()) return multiply_panels(a, b, out, options);
  multiply_slices(a, b, out, options);
}

}  // namespace skein::kernels
