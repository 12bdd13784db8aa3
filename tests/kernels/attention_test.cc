#include "skein/kernels/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "kernels/reference.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"

namespace skein::kernels {
namespace {

struct Example {
  std::vector<int32_t> queries, keys;  // lengths of sentences
  int64_t heads, dim;
  bool causal;
  float dropout;
};

const Example kExamples[] = {
    {{1}, {1}, 1, 4, false, 0},
    {{2, 1}, {2, 1}, 2, 1, true, 0},
    {{0, 3, 2}, {4, 0, 5}, 2, 5, false, 0.3f},
    {{15, 7, 16, 17, 1}, {15, 7, 16, 17, 1}, 3, 32, true, 0},
    {{12, 14, 31}, {13, 33, 9}, 2, 64, false, 0.1f},
    {{3, 5}, {5, 3}, 2, 8, true, 0},  // more keys than queries, and queries that see nothing
    {{200}, {200}, 1, 17, true, 0.2f},
    {{70}, {600}, 1, 64, false, 0},
};

std::vector<int32_t> offsets(const std::vector<int32_t>& lengths) {
  std::vector<int32_t> result = {0};
  for (const int32_t length : lengths) result.push_back(result.back() + length);
  return result;
}

using Values = std::vector<double>;

// Everything in float64, row by row: Vaswani et al. 2017, equation 1, and its derivative by hand.
struct Plain {
  int64_t heads, dim;
  Values out, log_sums, weights;  // weights: averaged over heads
  Values d_queries, d_keys, d_values;
};

Plain plain_attention(const Example& e, const AttentionShape& shape, const Values& q,
                      const Values& k, const Values& v, const Values& d_out) {
  const auto dim = static_cast<size_t>(e.dim), width = static_cast<size_t>(e.heads) * dim;
  Plain p{.heads = e.heads,
          .dim = e.dim,
          .out = Values(q.size()),
          .log_sums = {},
          .weights = {},
          .d_queries = Values(q.size()),
          .d_keys = Values(k.size()),
          .d_values = Values(v.size())};
  p.log_sums.resize(q.size() / dim);
  const double scale = static_cast<double>(shape.scale);
  for (size_t s = 0; s < e.queries.size(); ++s) {
    const auto first_query = static_cast<size_t>(shape.query_offsets[s]);
    const auto first_key = static_cast<size_t>(shape.key_offsets[s]);
    const auto query_count = static_cast<size_t>(e.queries[s]);
    const auto key_count = static_cast<size_t>(e.keys[s]);
    for (size_t i = first_query; i < first_query + query_count; ++i) {
      Values average(key_count);
      for (size_t h = 0; h < static_cast<size_t>(e.heads); ++h) {
        const auto at = [&](const Values& x, size_t row, size_t c) {
          return x[row * width + h * dim + c];
        };
        Values probabilities(key_count), d(key_count), factors(key_count);
        double total = 0, correction = 0;
        const Dropout mask =
            attention_row_dropout(shape, static_cast<int64_t>(i), static_cast<int64_t>(h));
        for (size_t j = 0; j < key_count; ++j) {
          factors[j] = static_cast<double>(dropout_factor(mask, j));
          if (e.causal && j + query_count > i - first_query + key_count) continue;
          double score = 0;
          for (size_t c = 0; c < dim; ++c) score += at(q, i, c) * at(k, first_key + j, c);
          total += probabilities[j] = std::exp(scale * score);
        }
        p.log_sums[i * static_cast<size_t>(e.heads) + h] = std::log(total);
        for (size_t j = 0; j < key_count; ++j) {
          if (total > 0) probabilities[j] /= total;
          average[j] += probabilities[j] / static_cast<double>(e.heads);
          for (size_t c = 0; c < dim; ++c) {
            const size_t cell = h * dim + c;
            p.out[i * width + cell] += probabilities[j] * factors[j] * at(v, first_key + j, c);
            d[j] += factors[j] * at(d_out, i, c) * at(v, first_key + j, c);
            p.d_values[(first_key + j) * width + cell] +=
                probabilities[j] * factors[j] * at(d_out, i, c);
          }
          correction += probabilities[j] * d[j];
        }
        for (size_t j = 0; j < key_count; ++j) {
          const double d_score = scale * probabilities[j] * (d[j] - correction);
          for (size_t c = 0; c < dim; ++c) {
            const size_t cell = h * dim + c;
            p.d_queries[i * width + cell] += d_score * at(k, first_key + j, c);
            p.d_keys[(first_key + j) * width + cell] += d_score * at(q, i, c);
          }
        }
      }
      p.weights.insert(p.weights.end(), average.begin(), average.end());
    }
  }
  return p;
}

// The tensors of an example; queries, keys and values lie beside each other, as a fused product
// leaves them where the sentences are the same.
struct Data {
  Data(const Example& e, DType type, uint64_t seed)
      : query_offsets(offsets(e.queries)),
        key_offsets(offsets(e.keys)),
        width(e.heads * e.dim),
        shape{.query_offsets = query_offsets,
              .key_offsets = key_offsets,
              .heads = e.heads,
              .scale = 0.4f,
              .causal = e.causal,
              .dropout = {.probability = e.dropout, .seed = seed}},
        queries(random_tensor({query_offsets.back(), width}, type, seed + 1)),
        both(random_tensor({key_offsets.back(), 2 * width}, type, seed + 2)),
        d_out(random_tensor({query_offsets.back(), width}, type, seed + 3)),
        out(Tensor::zeros({query_offsets.back(), width}, type)),
        log_sums(Tensor::zeros({query_offsets.back(), e.heads}, DType::kF32)),
        d_queries(random_tensor({query_offsets.back(), width}, type, 1)),
        d_both(random_tensor({key_offsets.back(), 2 * width}, type, 1)) {}

  MatrixView keys() const { return column_block(both, 0, width); }
  MatrixView values() const { return column_block(both, width, width); }
  void forward() { attention(shape, matrix(queries), keys(), values(), out, log_sums); }
  void backward() {
    attention_gradient(shape, {.queries = matrix(queries),
                               .keys = keys(),
                               .values = values(),
                               .log_sums = log_sums,
                               .d_out = d_out,
                               .d_queries = matrix(d_queries),
                               .d_keys = column_block(d_both, 0, width),
                               .d_values = column_block(d_both, width, width)});
  }

  std::vector<int32_t> query_offsets, key_offsets;
  int64_t width;
  AttentionShape shape;
  Tensor queries, both, d_out, out, log_sums, d_queries, d_both;
};

// One half of the columns of every row.
Values half_of(const Tensor& both, bool second) {
  const Values all = doubles(both);
  const auto width = static_cast<size_t>(both.columns()) / 2;
  Values result;
  for (size_t i = 0; i < all.size(); ++i) {
    if ((i / width % 2 == 1) == second) result.push_back(all[i]);
  }
  return result;
}

Tensor tensor_of(const Values& values, DType type) {
  const std::vector<float> floats(values.begin(), values.end());
  return Tensor::from<float>(floats, {static_cast<int64_t>(values.size())}).converted(type);
}

TEST(Attention, AndItsGradientEqualTheirFormulasInFloat64) {
  uint64_t seed = 0;
  for (const Example& e : kExamples) {
    for (const DType type : kBothTypes) {
      SCOPED_TRACE(testing::Message() << "example " << &e - kExamples << " " << name_of(type));
      Data data(e, type, seed += 10);
      const Plain plain =
          plain_attention(e, data.shape, doubles(data.queries), half_of(data.both, false),
                          half_of(data.both, true), doubles(data.d_out));
      data.forward();
      expect_close(data.out, plain.out);
      for (size_t i = 0; i < plain.log_sums.size(); ++i) {
        if (std::isinf(plain.log_sums[i])) continue;  // no keys
        EXPECT_NEAR(data.log_sums.data<float>()[i], plain.log_sums[i], 1e-5);
      }
      data.backward();
      expect_close(data.d_queries, plain.d_queries, 3);
      expect_close(tensor_of(half_of(data.d_both, false), type), plain.d_keys, 3);
      expect_close(tensor_of(half_of(data.d_both, true), type), plain.d_values, 3);
      Tensor weights = Tensor::zeros({static_cast<int64_t>(plain.weights.size())}, DType::kF32);
      attention_weights(data.shape, matrix(data.queries), data.keys(), weights);
      expect_close(weights, plain.weights);
    }
  }
}

TEST(Attention, OfOneKeyIsItsValue) {
  const Tensor query = Tensor::from<float>({1, 2}, {1, 2}),
               key = Tensor::from<float>({5, 6}, {1, 2});
  const Tensor value = Tensor::from<float>({7, 8}, {1, 2});
  Tensor out = Tensor::zeros({1, 2}, DType::kF32), log_sums = Tensor::zeros({1, 1}, DType::kF32);
  const std::vector<int32_t> one = {0, 1};
  attention({.query_offsets = one, .key_offsets = one}, matrix(query), matrix(key), matrix(value),
            out, log_sums);
  EXPECT_THAT(out.values<float>(), testing::ElementsAre(7, 8));
  EXPECT_FLOAT_EQ(log_sums.data<float>()[0], 17);  // the only score
}

TEST(Attention, IsTheSameToTheBitForAnyNumberOfThreads) {
  const int before = threads();
  std::vector<Values> outs, gradients;
  for (const int count : {1, 2, 5}) {
    set_threads(count);
    Data data(kExamples[4], DType::kF32, 3);
    data.forward();
    data.backward();
    outs.push_back(doubles(data.out));
    gradients.push_back(doubles(data.d_both));
  }
  set_threads(before);
  for (const size_t i : {1, 2}) {
    EXPECT_EQ(outs[0], outs[i]);
    EXPECT_EQ(gradients[0], gradients[i]);
  }
}

TEST(Attention, ShowsANan) {
  Data data(kExamples[4], DType::kF32, 3);
  data.queries.data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  data.forward();
  EXPECT_TRUE(std::isnan(doubles(data.out)[0]));
}

TEST(Attention, RefusesColumnsThatDoNotDivideIntoHeads) {
  Data data(kExamples[0], DType::kF32, 3);
  data.shape.heads = 3;
  EXPECT_THROW(data.forward(), ShapeError);
}

// Row r of a step sees keys 0 .. r of the sentence: what causal attention computes for all at once.
TEST(CachedAttention, EqualsCausalAttentionRowByRow) {
  for (const int64_t dim : {3, 32, 64}) {
    for (const DType type : kBothTypes) {
      const Example e = {{21}, {21}, 2, dim, true, 0};
      Data data(e, type, 50);
      data.forward();
      std::vector<int32_t> key_rows, row_offsets = {0};
      for (int32_t r = 0; r < 21; ++r) {
        for (int32_t j = 0; j <= r; ++j) key_rows.push_back(j);
        row_offsets.push_back(static_cast<int32_t>(key_rows.size()));
      }
      Tensor out = Tensor::zeros({21, data.width}, type);
      cached_attention({.queries = matrix(data.queries),
                        .keys = data.keys(),
                        .values = data.values(),
                        .key_rows = key_rows,
                        .row_offsets = row_offsets,
                        .heads = 2,
                        .scale = 0.4f},
                       out);
      expect_close(out, doubles(data.out));
      // Alone, the last row comes out the same to the bit.
      const std::vector<int32_t> last(key_rows.end() - 21, key_rows.end()), one_row = {0, 21};
      Tensor alone = Tensor::zeros({1, data.width}, type);
      const Tensor query = data.queries.slice(20, 21);
      cached_attention({.queries = matrix(query),
                        .keys = data.keys(),
                        .values = data.values(),
                        .key_rows = last,
                        .row_offsets = one_row,
                        .heads = 2,
                        .scale = 0.4f},
                       alone);
      const Tensor same = out.slice(20, 21);
      EXPECT_EQ(std::memcmp(alone.raw(), same.raw(), alone.bytes()), 0);
    }
  }
}

}  // namespace
}  // namespace skein::kernels
