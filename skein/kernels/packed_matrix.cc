#include "skein/kernels/packed_matrix.h"

#include "skein/base/error.h"
#include "skein/kernels/amx_product.h"
#include "skein/kernels/check.h"
#include "skein/kernels/pair_product.h"
#include "skein/kernels/panel_product.h"
#include "skein/kernels/row_product.h"

namespace skein::kernels {
namespace {

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

void multiply_pairs(const Tensor& a, const PackedMatrix& b, Tensor& out,
                    const MatmulOptions& options) {
  multiply(PairProduct{.a = a.raw(),
                       .rows = out.rows(),
                       .k = b.k(),
                       .panels = b.pairs().raw(),
                       .tail = tail_of(b, out, options)});
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
  if (type_ == DType::kBF16 && amx_products()) {
    tiles_ = pack_amx(b, transposed);
  } else if (type_ == DType::kBF16 && pair_products()) {
    pairs_ = pack_pairs(b, transposed);
  } else {
    panels_ = pack_panels(type_ == DType::kF32 ? b : b.converted(DType::kF32), transposed);
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
  if (b.pairs().defined()) return multiply_pairs(a, b, out, options);
  multiply_panels(a, b, out, options);
}

}  // namespace skein::kernels
