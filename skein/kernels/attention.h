// Scaled dot-product attention over packed sentences (Vaswani et al. 2017), which never stores its
// scores: softmax online, scores again in the backward pass (Dao et al. 2022).
#pragma once

#include <cstdint>
#include <span>

#include "skein/kernels/elementwise.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

// Sentence s owns query rows [query_offsets[s], query_offsets[s + 1]) and key rows [key_offsets[s],
// key_offsets[s + 1]).
struct AttentionShape {
  std::span<const int32_t> query_offsets;  // [sentences + 1]
  std::span<const int32_t> key_offsets;    // [sentences + 1]
  int64_t heads = 1;                       // contiguous blocks of columns
  float scale = 1;                         // of the scores, usually head_dim^-0.5
  // Query i of a sentence sees keys 0 .. i + (keys - queries) of it.
  bool causal = false;
  Dropout dropout = {};  // of the probabilities; see attention_row_dropout()
};

// The mask of a query row (of the batch) and a head: its element j is key j of the sentence.
Dropout attention_row_dropout(const AttentionShape& shape, int64_t query, int64_t head);

// queries [q, heads * d], keys and values [k, heads * d], out [q, heads * d]: all f32 or all bf16.
// log_sums [q, heads] f32: the logarithm of each row's sum of exponentials, for the gradient. A
// query without keys gives zeros.
void attention(const AttentionShape& shape, const MatrixView& queries, const MatrixView& keys,
               const MatrixView& values, Tensor& out, Tensor& log_sums);

struct AttentionGradient {
  MatrixView queries, keys, values;  // as in the forward pass
  const Tensor& log_sums;
  const Tensor& d_out;
  MatrixView d_queries, d_keys, d_values;  // overwritten, every row
};
void attention_gradient(const AttentionShape& shape, const AttentionGradient& arguments);

// The probabilities themselves, averaged over heads: for sentence s a block of queries x keys f32,
// one after the other.
void attention_weights(const AttentionShape& shape, const MatrixView& queries,
                       const MatrixView& keys, Tensor& out);

// One new query a row against a cache: row r attends to keys/values at cache rows given by
// `key_rows[row_offsets[r] .. row_offsets[r + 1])`. queries, out [rows, heads * d]. For
// step-by-step decoding. Row r's result depends on its own inputs only, to the bit.
struct CachedAttention {
  MatrixView queries, keys, values;
  std::span<const int32_t> key_rows;
  std::span<const int32_t> row_offsets;  // [rows + 1]
  int64_t heads = 1;
  float scale = 1;
};
void cached_attention(const CachedAttention& arguments, Tensor& out);

}  // namespace skein::kernels
