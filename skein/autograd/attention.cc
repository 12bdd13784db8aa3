#include "skein/kernels/attention.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "skein/autograd/functions.h"
#include "skein/base/error.h"

namespace skein {
namespace {

// Where queries, keys and values lie in one or two fused products.
struct Sources {
  Variable queries;  // [q, >= width]
  Variable keys_values;
  int64_t key_column = 0;
  int64_t width = 0;
};

MatrixView query_view(const Sources& from, const Tensor& tensor) {
  return column_block(tensor, 0, from.width);
}
MatrixView key_view(const Sources& from, const Tensor& tensor) {
  return column_block(tensor, from.key_column, from.width);
}
MatrixView value_view(const Sources& from, const Tensor& tensor) {
  return column_block(tensor, from.key_column + from.width, from.width);
}

struct AttentionRecord {
  Sources from;
  std::vector<int32_t> query_offsets;
  std::vector<int32_t> key_offsets;
  int64_t heads;
  bool causal;
  kernels::Dropout dropout;
  Tensor out;
  Tensor log_sums;
  std::shared_ptr<Gradient> out_gradient;

  kernels::AttentionShape shape() const {
    const auto head_width = static_cast<float>(from.width / heads);
    return {query_offsets, key_offsets, heads, 1.0f / std::sqrt(head_width), causal, dropout};
  }

  void run() {
    const bool fused = !from.keys_values.defined();
    const Tensor& q = from.queries.value();
    const Tensor& kv = fused ? q : from.keys_values.value();
    Tensor d_q = Tensor::uninitialized(q.shape(), q.type());
    Tensor d_kv = fused ? d_q : Tensor::uninitialized(kv.shape(), kv.type());
    kernels::attention_gradient(shape(), {.queries = query_view(from, q),
                                          .keys = key_view(from, kv),
                                          .values = value_view(from, kv),
                                          .out = out,
                                          .log_sums = log_sums,
                                          .d_out = out_gradient->tensor(),
                                          .d_queries = query_view(from, d_q),
                                          .d_keys = key_view(from, d_kv),
                                          .d_values = value_view(from, d_kv)});
    if (fused) d_kv = Tensor();
    if (from.queries.needs_gradient()) from.queries.gradient()->add(std::move(d_q));
    if (!fused && from.keys_values.needs_gradient()) {
      from.keys_values.gradient()->add(std::move(d_kv));
    }
  }
};

Variable attend(Tape& tape, Sources from, std::span<const int32_t> query_offsets,
                std::span<const int32_t> key_offsets, const AttentionOptions& options) {
  if (from.width % options.heads != 0) {
    throw ShapeError("attention: the width is not a multiple of the number of heads");
  }
  const Tensor& q = from.queries.value();
  const Tensor& kv = from.keys_values.defined() ? from.keys_values.value() : q;
  auto record = std::make_shared<AttentionRecord>(
      AttentionRecord{from,
                      {query_offsets.begin(), query_offsets.end()},
                      {key_offsets.begin(), key_offsets.end()},
                      options.heads,
                      options.causal,
                      tape.next_dropout(options.dropout),
                      Tensor::uninitialized({q.rows(), from.width}, q.type()),
                      Tensor::uninitialized({q.rows(), options.heads}, DType::kF32),
                      nullptr});
  kernels::attention(record->shape(), query_view(from, q), key_view(from, kv), value_view(from, kv),
                     record->out, record->log_sums);
  const Variable output(record->out, tape.recording());
  if (tape.recording()) {
    record->out_gradient = output.gradient();
    tape.record(
        {.output = output.gradient(), .inputs = [record] { record->run(); }, .weights = nullptr});
  }
  return output;
}

}  // namespace

Variable self_attention(Tape& tape, const Variable& qkv, std::span<const int32_t> offsets,
                        const AttentionOptions& options) {
  const int64_t width = qkv.value().columns() / 3;
  return attend(tape, {qkv, Variable(), width, width}, offsets, offsets, options);
}

Variable cross_attention(Tape& tape, const Variable& queries, const Variable& kv,
                         std::span<const int32_t> query_offsets,
                         std::span<const int32_t> key_offsets, const AttentionOptions& options) {
  return attend(tape, {queries, kv, 0, queries.value().columns()}, query_offsets, key_offsets,
                options);
}

}  // namespace skein
