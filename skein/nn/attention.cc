#include "skein/nn/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "skein/kernels/attention.h"

namespace skein {
namespace {

// The reference draws queries, keys and values of one width with this gain.
constexpr double kStackedGain = std::numbers::sqrt2 / 2;

float head_scale(const MultiHeadOptions& options) {
  const int64_t head = options.width / options.heads;
  return 1.0f / std::sqrt(static_cast<float>(head));
}

Variable attend_cache(const MultiHeadOptions& options, const Tensor& queries, const Tensor& cache,
                      const CacheRows& visible) {
  Tensor out = Tensor::uninitialized({queries.rows(), options.width}, queries.type());
  kernels::cached_attention({.queries = column_block(queries, 0, options.width),
                             .keys = column_block(cache, 0, options.width),
                             .values = column_block(cache, options.width, options.width),
                             .key_rows = visible.rows,
                             .row_offsets = visible.offsets,
                             .heads = options.heads,
                             .scale = head_scale(options)},
                            out);
  return Variable(std::move(out));
}

}  // namespace

int64_t KeyValueCache::extend(int64_t count, int64_t columns, DType type) {
  const int64_t first = used;
  if (!rows.defined() || used + count > rows.rows()) {
    // At first for some steps more, if that is not much.
    const int64_t steps = std::max(count, std::min<int64_t>(16 * count, 4096));
    const int64_t capacity = std::max(2 * used, used + steps);
    Tensor grown = Tensor::uninitialized({capacity, columns}, type);
    if (used > 0) std::memcpy(grown.raw(), rows.raw(), rows.slice(0, used).bytes());
    rows = std::move(grown);
  }
  used += count;
  return first;
}

CacheRows rows_of_sentences(std::span<const int32_t> sentences, std::span<const int32_t> offsets,
                            int64_t count) {
  CacheRows visible;
  for (const int32_t each : sentences) {
    const auto sentence = static_cast<size_t>(each);
    for (int64_t i = 0; i < count; ++i) {
      for (int32_t row = offsets[sentence]; row < offsets[sentence + 1]; ++row) {
        visible.rows.push_back(row);
      }
      visible.offsets.push_back(static_cast<int32_t>(visible.rows.size()));
    }
  }
  return visible;
}

SelfAttention::SelfAttention(ParameterStore& store, const std::string& name,
                             const MultiHeadOptions& options)
    : options_(options),
      qkv_(store, name + ".qkv",
           {.inputs = options.width,
            .outputs = 3 * options.width,
            .gain = kStackedGain,
            .stacked = 3}),
      out_(store, name + ".out", {.inputs = options.width, .outputs = options.width}) {}

Variable SelfAttention::operator()(Tape& tape, const Variable& x, std::span<const int32_t> offsets,
                                   bool causal) const {
  const Variable context =
      self_attention(tape, qkv_(tape, x), offsets,
                     {.heads = options_.heads, .causal = causal, .dropout = options_.dropout});
  return out_(tape, context);
}

Variable SelfAttention::step(Tape& tape, const Variable& x, KeyValueCache& cache,
                             const CacheRows& visible) const {
  const Variable qkv = qkv_(tape, x);
  const Tensor& fresh = qkv.value();
  const int64_t width = options_.width;
  const int64_t first = cache.extend(fresh.rows(), 2 * width, fresh.type());
  const size_t element = size_of(fresh.type());
  for (int64_t row = 0; row < fresh.rows(); ++row) {
    std::memcpy(cache.rows.raw() + static_cast<size_t>((first + row) * 2 * width) * element,
                fresh.raw() + static_cast<size_t>(row * 3 * width + width) * element,
                static_cast<size_t>(2 * width) * element);
  }
  return out_(tape, attend_cache(options_, fresh, cache.rows, visible));
}

CrossAttention::CrossAttention(ParameterStore& store, const std::string& name,
                               const MultiHeadOptions& options)
    : options_(options),
      query_(store, name + ".query",
             {.inputs = options.width, .outputs = options.width, .gain = kStackedGain}),
      key_value_(store, name + ".key_value",
                 {.inputs = options.width,
                  .outputs = 2 * options.width,
                  .gain = kStackedGain,
                  .stacked = 2}),
      out_(store, name + ".out", {.inputs = options.width, .outputs = options.width}) {}

Variable CrossAttention::operator()(Tape& tape, const Variable& x, const Variable& encoded,
                                    std::span<const int32_t> query_offsets,
                                    std::span<const int32_t> key_offsets) const {
  const Variable context =
      cross_attention(tape, query_(tape, x), key_value_(tape, encoded), query_offsets, key_offsets,
                      {.heads = options_.heads, .causal = false, .dropout = options_.dropout});
  return out_(tape, context);
}

Variable CrossAttention::step(Tape& tape, const Variable& x, const Variable& memory,
                              const CacheRows& visible) const {
  const Variable queries = query_(tape, x);
  return out_(tape, attend_cache(options_, queries.value(), memory.value(), visible));
}

Tensor CrossAttention::weights(Tape& tape, const Variable& x, const Variable& encoded,
                               std::span<const int32_t> query_offsets,
                               std::span<const int32_t> key_offsets) const {
  int64_t size = 0;
  for (size_t s = 0; s + 1 < query_offsets.size(); ++s) {
    size +=
        int64_t{query_offsets[s + 1] - query_offsets[s]} * (key_offsets[s + 1] - key_offsets[s]);
  }
  Tensor out = Tensor::uninitialized({size}, DType::kF32);
  const Variable queries = query_(tape, x);
  const Variable keys = key_value_(tape, encoded);
  kernels::attention_weights(
      {query_offsets, key_offsets, options_.heads, head_scale(options_), false, {}},
      column_block(queries.value(), 0, options_.width),
      column_block(keys.value(), 0, options_.width), out);
  return out;
}

}  // namespace skein
