// The part of attention that one thread does at a time: one head of one sentence (attention.cc).
#pragma once

#include <cstdint>

#include "skein/kernels/attention.h"
#include "skein/kernels/dropout_hash.h"

namespace skein::kernels {

struct AttentionHead {
  int64_t query_begin = 0, queries = 0;  // rows
  int64_t key_begin = 0, keys = 0;
  int64_t head = 0, heads = 1;
  int64_t dim = 0;
  float scale = 1;
  bool causal = false;
  Dropout dropout = {};
  DropoutKeys mask = {};  // of `dropout`; the keys proper are those of a row

  int64_t column() const { return head * dim; }
  // How many keys query `i` of the sentence sees.
  int64_t visible(int64_t i) const {
    if (!causal) return keys;
    const int64_t seen = i + 1 + keys - queries;
    return seen < 0 ? 0 : seen > keys ? keys : seen;
  }
  DropoutKeys row_mask(int64_t i) const {
    const auto row = static_cast<uint64_t>((query_begin + i) * heads + head);
    return with_seed(mask, dropout.seed + kSeedStep * row);
  }
};

struct AttentionForward {
  MatrixView queries, keys, values, out;
  float* log_sums;
};
struct AttentionBackward {
  MatrixView queries, keys, values, d_out;
  const float* log_sums;
  MatrixView d_queries, d_keys, d_values;
};

// Floats of work space that a head with so many keys and columns needs.
int64_t forward_workspace(int64_t keys, int64_t dim);
int64_t backward_workspace(int64_t keys, int64_t dim);

// `work`: that many floats, 64-byte aligned.
void attend(const AttentionHead& head, const AttentionForward& tensors, float* work);
void attend_gradient(const AttentionHead& head, const AttentionBackward& tensors, float* work);

}  // namespace skein::kernels
