#include "skein/nn/multi_step_attention.h"

#include <cmath>
#include <vector>

#include "skein/kernels/attention.h"
#include "skein/kernels/elementwise.h"
#include "skein/nn/gated_convolution.h"

namespace skein {

Variable attention_memory(Tape& tape, const Variable& keys, const Variable& values,
                          std::span<const int32_t> offsets) {
  std::vector<float> roots;
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto length = static_cast<size_t>(offsets[s + 1] - offsets[s]);
    roots.insert(roots.end(), length, std::sqrt(static_cast<float>(length)));
  }
  return concatenate_columns(tape, keys, scale_rows(tape, values, roots));
}

MultiStepAttention::MultiStepAttention(ParameterStore& store, const std::string& name,
                                       int64_t width, int64_t embedding)
    : query_(store, name + ".query", {.inputs = width, .outputs = embedding}),
      out_(store, name + ".out", {.inputs = embedding, .outputs = width}) {}

Variable MultiStepAttention::query(Tape& tape, const Variable& x, const Variable& embedded) const {
  return scaled_sum(tape, query_(tape, x), embedded, kResidualScale);
}

Variable MultiStepAttention::operator()(Tape& tape, const Variable& x, const Variable& query,
                                        const Variable& memory,
                                        std::span<const int32_t> query_offsets,
                                        std::span<const int32_t> key_offsets) const {
  const Variable found =
      cross_attention(tape, query, memory, query_offsets, key_offsets, {.heads = 1, .scale = 1});
  return scaled_sum(tape, out_(tape, found), x, kResidualScale);
}

Variable MultiStepAttention::step(Tape& tape, const Variable& x, const Variable& query,
                                  const Variable& memory, const CacheRows& visible) const {
  const int64_t width = query.value().columns();
  Tensor found = Tensor::uninitialized(query.shape(), query.value().type());
  kernels::cached_attention({.queries = matrix(query.value()),
                             .keys = column_block(memory.value(), 0, width),
                             .values = column_block(memory.value(), width, width),
                             .key_rows = visible.rows,
                             .row_offsets = visible.offsets,
                             .heads = 1,
                             .scale = 1},
                            found);
  return scaled_sum(tape, out_(tape, Variable(std::move(found))), x, kResidualScale);
}

MultiStepAttention MultiStepAttention::folded(Tape& tape) const {
  MultiStepAttention result = *this;
  result.query_ = query_.folded(tape);
  result.out_ = out_.folded(tape);
  return result;
}

void add_attention_weights(const Variable& query, const Variable& memory,
                           std::span<const int32_t> query_offsets,
                           std::span<const int32_t> key_offsets, Tensor& sums) {
  Tensor weights = Tensor::uninitialized(sums.shape(), DType::kF32);
  const MatrixView queries = matrix(query.value());
  kernels::attention_weights({.query_offsets = query_offsets, .key_offsets = key_offsets}, queries,
                             column_block(memory.value(), 0, queries.columns), weights);
  kernels::accumulate(weights, sums);
}

}  // namespace skein
