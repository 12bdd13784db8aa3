// The attention of convolutional models: one in every layer of the decoder, whose query is joined
// by the embedding of the last token, and whose values hold what the token itself says besides what
// its surroundings say. Gehring et al. 2017, section 3.3.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "skein/nn/attention.h"
#include "skein/nn/weight_norm.h"

namespace skein {

// Keys and values of the source, side by side: [source tokens, 2 embedding]. The values are
// multiplied by the root of the sentence's length, as the reference does with the weighted sum.
Variable attention_memory(Tape& tape, const Variable& keys, const Variable& values,
                          std::span<const int32_t> offsets);

class MultiStepAttention {
 public:
  // Parameters `name.query` [embedding, width] and `name.out` [width, embedding].
  MultiStepAttention(ParameterStore& store, const std::string& name, int64_t width,
                     int64_t embedding);

  // x [target tokens, width]; `embedded` [target tokens, embedding]: of the target's tokens.
  Variable query(Tape& tape, const Variable& x, const Variable& embedded) const;
  // [target tokens, width]: x with what the query found, from keys and values of
  // attention_memory().
  Variable operator()(Tape& tape, const Variable& x, const Variable& query, const Variable& memory,
                      std::span<const int32_t> query_offsets,
                      std::span<const int32_t> key_offsets) const;
  Variable step(Tape& tape, const Variable& x, const Variable& query, const Variable& memory,
                const CacheRows& visible) const;
  MultiStepAttention folded(Tape& tape) const;

 private:
  NormedLinear query_;
  NormedLinear out_;
};

// Adds the probabilities of a query [target tokens, embedding] to `sums`: for every sentence a
// block [target tokens, source tokens] f32.
void add_attention_weights(const Variable& query, const Variable& memory,
                           std::span<const int32_t> query_offsets,
                           std::span<const int32_t> key_offsets, Tensor& sums);

}  // namespace skein
