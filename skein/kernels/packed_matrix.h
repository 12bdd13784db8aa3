// Products for decoding: weights packed once, and rows that do not depend on each other.
#pragma once

#include <cstdint>

#include "skein/kernels/matmul.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

// A right factor [k, n] in the order in which products read it: of bf16, AMX tiles (amx_product.h)
// or pairs (pair_product.h) where the processor multiplies them; else panels of f32
// (panel_product.h).
class PackedMatrix {
 public:
  PackedMatrix() = default;
  // b [k, n], or [n, k] with `transposed`; f32 or bf16. Takes a copy.
  PackedMatrix(const Tensor& b, bool transposed);

  bool defined() const { return defined_; }
  int64_t k() const { return k_; }
  int64_t n() const { return n_; }
  DType type() const { return type_; }

  const Tensor& panels() const { return panels_; }
  const Tensor& pairs() const { return pairs_; }
  const Tensor& tiles() const { return tiles_; }

 private:
  bool defined_ = false;
  int64_t k_ = 0, n_ = 0;
  DType type_ = DType::kF32;
  Tensor panels_, pairs_, tiles_;  // one of them
};

// out [m, n] = a [m, k] b as the other matmul, without transposition. Row i of the result depends
// on row i of `a` alone, to the bit, however many rows there are.
void matmul(const Tensor& a, const PackedMatrix& b, Tensor& out, const MatmulOptions& options = {});

}  // namespace skein::kernels
