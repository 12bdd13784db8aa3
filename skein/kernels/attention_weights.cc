#include <algorithm>
#include <cmath>
#include <vector>

#include "skein/kernels/attention.h"
#include "skein/kernels/check.h"
#include "skein/kernels/plain.h"

// For looking at, not for training: no part of this is fast.

namespace skein::kernels {
namespace {

// Adds the probabilities of one query and one head, divided by the number of heads, to `sums`.
void add_probabilities(const MatrixView& queries, int64_t query, const MatrixView& keys,
                       int64_t first_key, int64_t column, const AttentionShape& shape,
                       std::span<float> sums) {
  if (sums.empty()) return;
  const int64_t dim = queries.columns / shape.heads;
  std::vector<float> scores;
  for (size_t j = 0; j < sums.size(); ++j) {
    float sum = 0;
    for (int64_t c = column; c < column + dim; ++c) {
      sum += load(queries, query, c) * load(keys, first_key + static_cast<int64_t>(j), c);
    }
    scores.push_back(shape.scale * sum);
  }
  const float highest = *std::max_element(scores.begin(), scores.end());
  float total = 0;
  for (float& score : scores) total += score = std::exp(score - highest);
  for (size_t j = 0; j < sums.size(); ++j) {
    sums[j] += scores[j] / (total * static_cast<float>(shape.heads));
  }
}

}  // namespace

void attention_weights(const AttentionShape& shape, const MatrixView& queries,
                       const MatrixView& keys, Tensor& out) {
  require_type("attention_weights", "out", out, DType::kF32);
  int64_t cells = 0;
  for (size_t s = 0; s + 1 < shape.query_offsets.size(); ++s) {
    cells += int64_t{shape.query_offsets[s + 1] - shape.query_offsets[s]} *
             (shape.key_offsets[s + 1] - shape.key_offsets[s]);
  }
  require_elements("attention_weights", "out", out, cells);
  out.fill_zero();
  float* row = out.data<float>();
  const int64_t dim = queries.columns / shape.heads;
  for (size_t s = 0; s + 1 < shape.query_offsets.size(); ++s) {
    const int64_t first_query = shape.query_offsets[s], first_key = shape.key_offsets[s];
    const int64_t query_count = shape.query_offsets[s + 1] - first_query;
    const int64_t key_count = shape.key_offsets[s + 1] - first_key;
    for (int64_t i = 0; i < query_count; ++i, row += key_count) {
      const int64_t visible =
          shape.causal ? std::clamp<int64_t>(i + 1 + key_count - query_count, 0, key_count)
                       : key_count;
      for (int64_t head = 0; head < shape.heads; ++head) {
        add_probabilities(queries, first_query + i, keys, first_key, head * dim, shape,
                          {row, static_cast<size_t>(visible)});
      }
    }
  }
}

}  // namespace skein::kernels
