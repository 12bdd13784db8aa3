#include "skein/kernels/attention_head.h"

#include <algorithm>
#include <cmath>

#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/attention_head.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/math-inl.h"
#include "skein/kernels/small_product-inl.h"

#ifndef SKEIN_KERNELS_ATTENTION_HEAD_BLOCKS_
#define SKEIN_KERNELS_ATTENTION_HEAD_BLOCKS_
namespace skein::kernels {
namespace {

constexpr int64_t kLanes = 16;  // of the widest vectors; rows of work space are padded to it

inline int64_t padded(int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }
// Queries whose scores are held at once: 64 KB of scores, in the second-level cache.
inline int64_t block_of(int64_t keys) {
  return std::clamp<int64_t>(16384 / std::max<int64_t>(1, padded(keys)) / 8 * 8, 8, 64);
}

// Hands out consecutive pieces of work space.
class Workspace {
 public:
  explicit Workspace(float* memory) : memory_(memory) {}
  float* matrix(int64_t rows, int64_t columns) {
    float* piece = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += padded(rows) * padded(columns);
    return piece;
  }
  int64_t used() const { return used_; }

 private:
  float* memory_;
  int64_t used_ = 0;
};

// The matrices of one head; the transposed ones [dim, keys], the scores [block, keys], the rest
// [keys or block, dim].
struct ForwardSpace {
  ForwardSpace(Workspace w, int64_t keys, int64_t dim)
      : keys_transposed(w.matrix(dim, keys)),
        rows(w.matrix(keys, dim)),
        queries(w.matrix(block_of(keys), dim)),
        out(w.matrix(block_of(keys), dim)),
        scores(w.matrix(block_of(keys), keys)),
        size(w.used()) {}
  float *keys_transposed, *rows, *queries, *out, *scores;
  int64_t size;
};
struct BackwardSpace {
  BackwardSpace(Workspace w, int64_t keys, int64_t dim)
      : keys_transposed(w.matrix(dim, keys)),
        values_transposed(w.matrix(dim, keys)),
        rows(w.matrix(keys, dim)),
        d_keys(w.matrix(keys, dim)),
        d_values(w.matrix(keys, dim)),
        queries(w.matrix(block_of(keys), dim)),
        d_out(w.matrix(block_of(keys), dim)),
        d_queries(w.matrix(block_of(keys), dim)),
        probabilities(w.matrix(block_of(keys), keys)),
        kept(w.matrix(block_of(keys), keys)),
        d_scores(w.matrix(block_of(keys), keys)),
        size(w.used()) {}
  float *keys_transposed, *values_transposed, *rows, *d_keys, *d_values;
  float *queries, *d_out, *d_queries, *probabilities, *kept, *d_scores;
  int64_t size;
};

inline Elements row_of(const MatrixView& view, int64_t row, int64_t column) {
  return elements(view).from(row * view.stride + column);
}

}  // namespace
}  // namespace skein::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

// to [padded rows, padded dim] = factor * rows [begin, begin + rows), columns of the head; zero
// beyond.
void load_rows(const MatrixView& from, int64_t begin, int64_t rows, const AttentionHead& h,
               float factor, float* to) {
  const int64_t step = padded(h.dim);
  const auto lanes = static_cast<int64_t>(hn::Lanes(F()));
  for (int64_t r = 0; r < rows; ++r) {
    const Elements row = row_of(from, begin + r, h.column());
    float* target = to + r * step;
    for_lanes(0, h.dim, [&](int64_t c, auto part) {
      hn::Store(hn::Mul(set(factor), load(row, c, part)), F(), target + c);
    });
    const int64_t written = (h.dim + lanes - 1) / lanes * lanes;
    std::fill(target + written, target + step, 0.0f);
  }
  std::fill(to + rows * step, to + padded(rows) * step, 0.0f);
}

void store_rows(const float* from, float factor, const MatrixView& to, int64_t begin, int64_t rows,
                const AttentionHead& h) {
  const int64_t step = padded(h.dim);
  for (int64_t r = 0; r < rows; ++r) {
    const Elements row = row_of(to, begin + r, h.column());
    const float* source = from + r * step;
    for_lanes(0, h.dim, [&](int64_t c, auto part) {
      store(hn::Mul(set(factor), hn::Load(F(), source + c)), row, c, part);
    });
  }
}

void load_transposed(const MatrixView& from, const AttentionHead& h, float* rows, float* to) {
  load_rows(from, h.key_begin, h.keys, h, 1, rows);
  transpose(rows, padded(h.dim), padded(h.keys), padded(h.dim), to, padded(h.keys));
}

// scores -> probabilities with dropout, zero where the query does not see; the logarithm of the
// sum.
float softmax_row(const AttentionHead& h, int64_t query, float* scores) {
  const int64_t visible = h.visible(query);
  auto highest = set(-INFINITY);
  for_lanes(0, visible, [&](int64_t j, auto part) {
    highest = hn::Max(highest, keep(hn::Load(F(), scores + j), set(-INFINITY), part));
  });
  const float top = max_of_lanes(highest);
  auto total = zero();
  for_lanes(0, visible, [&](int64_t j, auto part) {
    const auto e = keep(exp(hn::Sub(hn::Load(F(), scores + j), set(top))), zero(), part);
    total = hn::Add(total, e);
    hn::Store(e, F(), scores + j);
  });
  const float sum = sum_of_lanes(total);
  const bool masked = h.dropout.probability > 0;
  const DropoutKeys mask = masked ? h.row_mask(query) : h.mask;
  const float factor = visible > 0 ? 1 / sum : 0;
  const auto lanes = static_cast<int64_t>(hn::Lanes(F()));
  for (int64_t j = 0; j < visible; j += lanes) {
    auto p = hn::Mul(hn::Load(F(), scores + j), set(factor));
    if (masked) p = hn::Mul(p, dropout_factors(mask, j));
    hn::Store(p, F(), scores + j);
  }
  const int64_t written = (visible + lanes - 1) / lanes * lanes;
  std::fill(scores + written, scores + padded(h.keys), 0.0f);
  return top + std::log(sum);
}

void attend_head(const AttentionHead& h, const AttentionForward& t, float* work) {
  const ForwardSpace s(Workspace(work), h.keys, h.dim);
  const int64_t keys = padded(h.keys), dim = padded(h.dim);
  load_transposed(t.keys, h, s.rows, s.keys_transposed);
  load_rows(t.values, h.key_begin, h.keys, h, 1, s.rows);
  const int64_t block = block_of(h.keys);
  for (int64_t first = 0; first < h.queries; first += block) {
    const int64_t count = std::min(block, h.queries - first);
    const int64_t seen = h.visible(first + count - 1);  // by the last of the block, the most
    load_rows(t.queries, h.query_begin + first, count, h, h.scale, s.queries);
    multiply({s.queries, dim, 1}, {s.keys_transposed, keys}, {s.scores, keys, false}, count,
             padded(seen), h.dim);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t query = h.query_begin + first + i;
      t.log_sums[query * h.heads + h.head] = softmax_row(h, first + i, s.scores + i * keys);
    }
    multiply({s.scores, keys, 1}, {s.rows, dim}, {s.out, dim, false}, count, dim, seen);
    store_rows(s.out, 1, t.out, h.query_begin + first, count, h);
  }
}

// scores and d_probabilities of one query -> its probabilities, those kept by dropout, and
// d_scores.
void softmax_gradient_row(const AttentionHead& h, int64_t query, float log_sum, float* scores,
                          float* kept, float* d_scores) {
  const int64_t visible = h.visible(query), lanes = static_cast<int64_t>(hn::Lanes(F()));
  const bool masked = h.dropout.probability > 0;
  const DropoutKeys mask = masked ? h.row_mask(query) : h.mask;
  auto total = zero();
  for_lanes(0, visible, [&](int64_t j, auto part) {
    const auto p = keep(exp(hn::Sub(hn::Load(F(), scores + j), set(log_sum))), zero(), part);
    auto d = keep(hn::Load(F(), d_scores + j), zero(), part);
    if (masked) {
      const auto factors = dropout_factors(mask, j);
      d = hn::Mul(d, factors);
      hn::Store(hn::Mul(p, factors), F(), kept + j);
    }
    total = hn::MulAdd(p, d, total);
    hn::Store(p, F(), scores + j);
    hn::Store(d, F(), d_scores + j);
  });
  const auto correction = set(sum_of_lanes(total));
  for (int64_t j = 0; j < visible; j += lanes) {
    const auto d = hn::Sub(hn::Load(F(), d_scores + j), correction);
    hn::Store(hn::Mul(hn::Load(F(), scores + j), d), F(), d_scores + j);
  }
  const int64_t written = (visible + lanes - 1) / lanes * lanes, end = padded(h.keys);
  std::fill(scores + written, scores + end, 0.0f);
  std::fill(d_scores + written, d_scores + end, 0.0f);
  if (masked) std::fill(kept + written, kept + end, 0.0f);
}

void attend_gradient_head(const AttentionHead& h, const AttentionBackward& t, float* work) {
  const BackwardSpace s(Workspace(work), h.keys, h.dim);
  const int64_t keys = padded(h.keys), dim = padded(h.dim);
  load_transposed(t.values, h, s.rows, s.values_transposed);
  load_transposed(t.keys, h, s.rows, s.keys_transposed);  // and leaves the keys in s.rows
  if (h.queries == 0) {
    std::fill(s.d_keys, s.d_keys + keys * dim, 0.0f);
    std::fill(s.d_values, s.d_values + keys * dim, 0.0f);
  }
  const float* kept = h.dropout.probability > 0 ? s.kept : s.probabilities;
  const int64_t block = block_of(h.keys);
  for (int64_t first = 0; first < h.queries; first += block) {
    const int64_t count = std::min(block, h.queries - first), begin = h.query_begin + first;
    const int64_t seen = h.visible(first + count - 1);
    load_rows(t.queries, begin, count, h, h.scale, s.queries);
    load_rows(t.d_out, begin, count, h, 1, s.d_out);
    multiply({s.queries, dim, 1}, {s.keys_transposed, keys}, {s.probabilities, keys, false}, count,
             padded(seen), h.dim);
    multiply({s.d_out, dim, 1}, {s.values_transposed, keys}, {s.d_scores, keys, false}, count,
             padded(seen), h.dim);
    for (int64_t i = 0; i < count; ++i) {
      softmax_gradient_row(h, first + i, t.log_sums[(begin + i) * h.heads + h.head],
                           s.probabilities + i * keys, s.kept + i * keys, s.d_scores + i * keys);
    }
    multiply({s.d_scores, keys, 1}, {s.rows, dim}, {s.d_queries, dim, false}, count, dim, seen);
    store_rows(s.d_queries, h.scale, t.d_queries, begin, count, h);
    // Of all keys, seen or not, the first time: that sets them.
    const int64_t touched = first == 0 ? h.keys : seen;
    multiply({s.d_scores, 1, keys}, {s.queries, dim}, {s.d_keys, dim, first > 0}, touched, dim,
             count);
    multiply({kept, 1, keys}, {s.d_out, dim}, {s.d_values, dim, first > 0}, touched, dim, count);
  }
  store_rows(s.d_keys, 1, t.d_keys, h.key_begin, h.keys, h);
  store_rows(s.d_values, 1, t.d_values, h.key_begin, h.keys, h);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {
namespace {

HWY_EXPORT(attend_head);
HWY_EXPORT(attend_gradient_head);

}  // namespace

int64_t forward_workspace(int64_t keys, int64_t dim) {
  return ForwardSpace(Workspace(nullptr), keys, dim).size;
}
int64_t backward_workspace(int64_t keys, int64_t dim) {
  return BackwardSpace(Workspace(nullptr), keys, dim).size;
}

void attend(const AttentionHead& head, const AttentionForward& tensors, float* work) {
  HWY_DYNAMIC_DISPATCH(attend_head)(head, tensors, work);
}
void attend_gradient(const AttentionHead& head, const AttentionBackward& tensors, float* work) {
  HWY_DYNAMIC_DISPATCH(attend_gradient_head)(head, tensors, work);
}

}  // namespace skein::kernels
#endif
