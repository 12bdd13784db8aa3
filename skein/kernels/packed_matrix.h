// Products for decoding: weights packed once, and rows that do not depend on each other.
#pragma once

#include <cstdint>
#include <vector>

#include "skein/kernels/matmul.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

// A right factor [k, n] in the order in which products read it: panels (panel_product.h) where they
// multiply f32; where they multiply bf16, AMX tiles (amx_product.h), or slices in oneDNN's order.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  // b [k, n], or [n, k] with `transposed`; f32 or bf16. Takes a copy.
  PackedMatrix(const Tensor& b, bool transposed);

  bool defined() const { return defined_; }
  int64_t k() const { return k_; }
  int64_t n() const { return n_; }
  DType type() const { return type_; }

  // Some columns, by themselves: what one thread multiplies when rows are few.
  struct Slice {
    int64_t first = 0, columns = 0;
    Tensor memory;
  };
  const std::vector<Slice>& slices() const { return slices_; }
  const Tensor& panels() const { return panels_; }
  const Tensor& tiles() const { return tiles_; }

 private:
  bool defined_ = false;
  int64_t k_ = 0, n_ = 0;
  DType type_ = DType::kF32;
  std::vector<Slice> slices_;
  Tensor panels_, tiles_;
};

// out [m, n] = a [m, k] b as the other matmul, without transposition. Row i of the result depends
// on row i of `a` alone, to the bit, however many rows there are.
void matmul(const Tensor& a, const PackedMatrix& b, Tensor& out, const MatmulOptions& options = {});

}  // namespace skein::kernels
