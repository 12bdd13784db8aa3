#include "skein/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/dropout_hash.h"
#include "skein/kernels/plain.h"

namespace skein::kernels {
namespace {

struct Head {  // of one sentence
  int64_t query_begin, query_end, key_begin, key_end;
  int64_t head, dim, column;
};

template <typename Body>
void for_each_head(const AttentionShape& shape, int64_t columns, Body&& body) {
  const auto sentences = static_cast<int64_t>(shape.query_offsets.size()) - 1;
  parallel_for(sentences * shape.heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto s = static_cast<size_t>(i / shape.heads);
      const int64_t dim = columns / shape.heads, head = i % shape.heads;
      body(Head{shape.query_offsets[s], shape.query_offsets[s + 1], shape.key_offsets[s],
                shape.key_offsets[s + 1], head, dim, head * dim});
    }
  });
}

// The end of the keys that a query row sees.
int64_t visible_end(const AttentionShape& shape, const Head& h, int64_t query) {
  if (!shape.causal) return h.key_end;
  const int64_t seen =
      query - h.query_begin + 1 + (h.key_end - h.key_begin) - (h.query_end - h.query_begin);
  return h.key_begin + std::clamp<int64_t>(seen, 0, h.key_end - h.key_begin);
}

float dot(const MatrixView& a, int64_t i, const MatrixView& b, int64_t j, const Head& h) {
  float sum = 0;
  for (int64_t c = h.column; c < h.column + h.dim; ++c) sum += load(a, i, c) * load(b, j, c);
  return sum;
}

DropoutKeys row_keys(const AttentionShape& shape, int64_t query, int64_t head) {
  return dropout_keys(attention_row_dropout(shape, query, head));
}

// scores of one query -> probabilities; the logarithm of the sum.
float softmax(std::vector<float>& scores) {
  if (scores.empty()) return -std::numeric_limits<float>::infinity();
  const float highest = *std::max_element(scores.begin(), scores.end());
  float sum = 0;
  for (float& score : scores) sum += score = std::exp(score - highest);
  for (float& score : scores) score /= sum;
  return highest + std::log(sum);
}

std::vector<float> scores_of(const AttentionShape& shape, const Head& h, const MatrixView& queries,
                             const MatrixView& keys, int64_t query) {
  std::vector<float> scores;
  for (int64_t j = h.key_begin; j < visible_end(shape, h, query); ++j) {
    scores.push_back(shape.scale * dot(queries, query, keys, j, h));
  }
  return scores;
}

}  // namespace

Dropout attention_row_dropout(const AttentionShape& shape, int64_t query, int64_t head) {
  return {
      .probability = shape.dropout.probability,
      .seed = shape.dropout.seed + kSeedStep * static_cast<uint64_t>(query * shape.heads + head)};
}

void attention(const AttentionShape& shape, const MatrixView& queries, const MatrixView& keys,
               const MatrixView& values, Tensor& out, Tensor& log_sums) {
  const MatrixView result = matrix(out);
  for_each_head(shape, queries.columns, [&](const Head& h) {
    for (int64_t i = h.query_begin; i < h.query_end; ++i) {
      std::vector<float> weights = scores_of(shape, h, queries, keys, i);
      store(log_sums, i * shape.heads + h.head, softmax(weights));
      const DropoutKeys mask = row_keys(shape, i, h.head);
      for (int64_t c = h.column; c < h.column + h.dim; ++c) {
        float sum = 0;
        for (size_t j = 0; j < weights.size(); ++j) {
          sum += weights[j] * dropout_factor(mask, j) *
                 load(values, h.key_begin + static_cast<int64_t>(j), c);
        }
        store(result, i, c, sum);
      }
    }
  });
}

void attention_gradient(const AttentionShape& shape, const AttentionGradient& a) {
  const MatrixView out = matrix(a.out), d_out = matrix(a.d_out);
  for_each_head(shape, a.queries.columns, [&](const Head& h) {
    const int64_t keys = h.key_end - h.key_begin;
    std::vector<float> d_keys(static_cast<size_t>(keys * h.dim)), d_values(d_keys.size());
    for (int64_t i = h.query_begin; i < h.query_end; ++i) {
      const std::vector<float> scores = scores_of(shape, h, a.queries, a.keys, i);
      const float correction = dot(out, i, d_out, i, h);
      const float log_sum = load(a.log_sums, i * shape.heads + h.head);
      const DropoutKeys mask = row_keys(shape, i, h.head);
      std::vector<float> d_query(static_cast<size_t>(h.dim));
      for (size_t j = 0; j < scores.size(); ++j) {
        const int64_t key = h.key_begin + static_cast<int64_t>(j);
        const float p = std::exp(scores[j] - log_sum), factor = dropout_factor(mask, j);
        const float d_score =
            shape.scale * p * (factor * dot(d_out, i, a.values, key, h) - correction);
        for (int64_t c = 0; c < h.dim; ++c) {
          const size_t cell = j * static_cast<size_t>(h.dim) + static_cast<size_t>(c);
          d_query[static_cast<size_t>(c)] += d_score * load(a.keys, key, h.column + c);
          d_keys[cell] += d_score * load(a.queries, i, h.column + c);
          d_values[cell] += p * factor * load(d_out, i, h.column + c);
        }
      }
      for (int64_t c = 0; c < h.dim; ++c) {
        store(a.d_queries, i, h.column + c, d_query[static_cast<size_t>(c)]);
      }
    }
    for (int64_t j = 0; j < keys; ++j) {
      for (int64_t c = 0; c < h.dim; ++c) {
        const auto cell = static_cast<size_t>(j * h.dim + c);
        store(a.d_keys, h.key_begin + j, h.column + c, d_keys[cell]);
        store(a.d_values, h.key_begin + j, h.column + c, d_values[cell]);
      }
    }
  });
}

void attention_weights(const AttentionShape& shape, const MatrixView& queries,
                       const MatrixView& keys, Tensor& out) {
  out.fill_zero();
  float* block = out.data<float>();
  const int64_t dim = queries.columns / shape.heads;
  for (size_t s = 0; s + 1 < shape.query_offsets.size(); ++s) {
    Head h{shape.query_offsets[s],
           shape.query_offsets[s + 1],
           shape.key_offsets[s],
           shape.key_offsets[s + 1],
           0,
           dim,
           0};
    const int64_t count = h.key_end - h.key_begin;
    for (int64_t i = h.query_begin; i < h.query_end; ++i, block += count) {
      for (h.head = 0; h.head < shape.heads; ++h.head) {
        h.column = h.head * dim;
        std::vector<float> weights = scores_of(shape, h, queries, keys, i);
        softmax(weights);
        for (size_t j = 0; j < weights.size(); ++j) {
          block[j] += weights[j] / static_cast<float>(shape.heads);
        }
      }
    }
  }
}

void cached_attention(const CachedAttention& a, Tensor& out) {
  const MatrixView result = matrix(out);
  const int64_t dim = a.queries.columns / a.heads;
  const auto rows = static_cast<int64_t>(a.row_offsets.size()) - 1;
  parallel_for(rows * a.heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t r = task / a.heads, head = task % a.heads;
      const Head h{0, 0, 0, 0, head, dim, head * dim};
      const auto first = static_cast<size_t>(a.row_offsets[static_cast<size_t>(r)]);
      const auto last = static_cast<size_t>(a.row_offsets[static_cast<size_t>(r) + 1]);
      std::vector<float> weights;
      for (size_t j = first; j < last; ++j) {
        weights.push_back(a.scale * dot(a.queries, r, a.keys, a.key_rows[j], h));
      }
      softmax(weights);
      for (int64_t c = h.column; c < h.column + dim; ++c) {
        float sum = 0;
        for (size_t j = first; j < last; ++j) {
          sum += weights[j - first] * load(a.values, a.key_rows[j], c);
        }
        store(result, r, c, sum);
      }
    }
  });
}

}  // namespace skein::kernels
