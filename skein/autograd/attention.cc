#include "skein/kernels/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "skein/autograd/functions.h"
#include "skein/base/error.h"
#include "skein/kernels/check.h"

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
  float scale;
  kernels::Dropout dropout;
  Tensor log_sums;
  std::shared_ptr<Gradient> out_gradient;

  kernels::AttentionShape shape() const {
    return {query_offsets, key_offsets, heads, scale, causal, dropout};
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

// Offsets that go from 0 to the number of rows and never back.
void require_offsets(const char* side, std::span<const int32_t> offsets, int64_t rows) {
  if (offsets.empty() && rows == 0) return;
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != rows ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    throw ShapeError(
        fmt::format("attention: the {} offsets do not divide {} rows into sentences", side, rows));
  }
}

void require_fitting(const Sources& from, std::span<const int32_t> query_offsets,
                     std::span<const int32_t> key_offsets, int64_t heads) {
  if (heads < 1 || from.width % heads != 0) {
    throw ShapeError(
        fmt::format("attention: a width of {} is not a multiple of {} heads", from.width, heads));
  }
  const Tensor& q = from.queries.value();
  const Tensor& kv = from.keys_values.defined() ? from.keys_values.value() : q;
  if (kv.columns() != from.key_column + 2 * from.width) {
    throw ShapeError(fmt::format("attention: keys and values of shape {} for a width of {}",
                                 kv.shape().to_string(), from.width));
  }
  kernels::require_type("attention", "keys and values", kv, q.type());
  if (query_offsets.size() != key_offsets.size()) {
    throw ShapeError(fmt::format("attention: offsets of {} query sentences and {} key sentences",
                                 query_offsets.size(), key_offsets.size()));
  }
  require_offsets("query", query_offsets, q.rows());
  require_offsets("key", key_offsets, kv.rows());
}

float scale_of(const AttentionOptions& options, int64_t width) {
  if (options.scale != 0) return static_cast<float>(options.scale);
  const int64_t head = width / options.heads;
  return 1.0f / std::sqrt(static_cast<float>(head));
}

Variable attend(Tape& tape, const Sources& from, std::span<const int32_t> query_offsets,
                std::span<const int32_t> key_offsets, const AttentionOptions& options) {
  require_fitting(from, query_offsets, key_offsets, options.heads);
  const Tensor& q = from.queries.value();
  const Tensor& kv = from.keys_values.defined() ? from.keys_values.value() : q;
  auto record = std::make_shared<AttentionRecord>(
      AttentionRecord{from,
                      {query_offsets.begin(), query_offsets.end()},
                      {key_offsets.begin(), key_offsets.end()},
                      options.heads,
                      options.causal,
                      scale_of(options, from.width),
                      tape.next_dropout(options.dropout),
                      Tensor::uninitialized({q.rows(), options.heads}, DType::kF32),
                      nullptr});
  Tensor out = Tensor::uninitialized({q.rows(), from.width}, q.type());
  kernels::attention(record->shape(), query_view(from, q), key_view(from, kv), value_view(from, kv),
                     out, record->log_sums);
  tape.check(out, "attention", Variable());
  const Variable output(std::move(out), tape.recording());
  if (tape.recording()) {
    record->out_gradient = output.gradient();
    tape.record({.outputs = {output.gradient()},
                 .inputs = [record] { record->run(); },
                 .weights = nullptr});
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
