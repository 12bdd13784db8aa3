// Multi-head attention with its projections, over packed sentences and step by step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skein/nn/linear.h"

namespace skein {

struct MultiHeadOptions {
  int64_t width = 0;
  int64_t heads = 1;
  double dropout = 0;  // of the probabilities
};

// Keys and values of earlier tokens, one row a token, for step-by-step decoding. A hypothesis is a
// list of rows: when beams branch, lists are copied and rows are not.
struct KeyValueCache {
  Tensor rows;  // [capacity, 2 * width], keys then values
  int64_t used = 0;

  // Makes room for `count` more rows and returns the first one's index.
  int64_t extend(int64_t count, int64_t columns, DType type);
};

// For each row of a step, the cache rows it attends to.
struct CacheRows {
  std::vector<int32_t> rows;
  std::vector<int32_t> offsets = {0};  // [rows of the step + 1]
};

// Rows i * count to (i + 1) * count - 1 see all tokens of sentence sentences[i]; `offsets`
// [sentences + 1].
CacheRows rows_of_sentences(std::span<const int32_t> sentences, std::span<const int32_t> offsets,
                            int64_t count);

class SelfAttention {
 public:
  // Parameters `name.qkv` [3 width, width] and `name.out` [width, width].
  SelfAttention(ParameterStore& store, const std::string& name, const MultiHeadOptions& options);

  Variable operator()(Tape& tape, const Variable& x, std::span<const int32_t> offsets,
                      bool causal) const;
  // x [rows, width]: new tokens, one a row, whose keys and values become the cache's next rows,
  // which `visible` already names.
  Variable step(Tape& tape, const Variable& x, KeyValueCache& cache,
                const CacheRows& visible) const;

 private:
  MultiHeadOptions options_;
  Linear qkv_;
  Linear out_;
};

class CrossAttention {
 public:
  // Parameters `name.query` [width, width], `name.key_value` [2 width, width], `name.out` [width,
  // width].
  CrossAttention(ParameterStore& store, const std::string& name, const MultiHeadOptions& options);

  Variable operator()(Tape& tape, const Variable& x, const Variable& encoded,
                      std::span<const int32_t> query_offsets,
                      std::span<const int32_t> key_offsets) const;
  // Keys and values of the source, once a sentence: [source tokens, 2 width].
  Variable memory(Tape& tape, const Variable& encoded) const { return key_value_(tape, encoded); }
  Variable step(Tape& tape, const Variable& x, const Variable& memory,
                const CacheRows& visible) const;
  // Probabilities averaged over heads: for every sentence a block [target tokens, source tokens]
  // f32.
  Tensor weights(Tape& tape, const Variable& x, const Variable& encoded,
                 std::span<const int32_t> query_offsets,
                 std::span<const int32_t> key_offsets) const;

 private:
  MultiHeadOptions options_;
  Linear query_;
  Linear key_value_;
  Linear out_;
};

}  // namespace skein
