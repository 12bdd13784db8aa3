// Table look-ups.
#pragma once

#include <cstdint>
#include <span>

#include "skein/kernels/elementwise.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

// out [n, c] (f32 or bf16) = dropout(scale * table[ids] + positions[position_rows]). table [v, c]
// f32 or bf16. `positions` [p, c] f32 may be undefined. Throws ShapeError for an id or a position
// outside its table.
struct Embedding {
  std::span<const int32_t> ids;
  std::span<const int32_t> position_rows;
  const Tensor& table;
  const Tensor& positions;
  float scale = 1;
  Dropout dropout = {};
};
void embed(const Embedding& arguments, Tensor& out);

// d_table [v, c] f32 += scale * dropout(dy) summed by id; the same with scale 1 for d_positions and
// position rows (each may be undefined). The order of sums depends on the ids only, not on the
// number of threads.
void embed_gradient(const Embedding& arguments, const Tensor& dy, Tensor& d_table,
                    Tensor& d_positions);

}  // namespace skein::kernels
