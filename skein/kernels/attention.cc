#include "skein/kernels/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/attention_head.h"
#include "skein/kernels/check.h"

namespace skein::kernels {
namespace {

void require_view(std::string_view name, const MatrixView& view, const MatrixView& like,
                  int64_t rows) {
  if (view.type != like.type || view.columns != like.columns || view.rows != rows) {
    throw ShapeError(fmt::format("attention: {} is {} x {} of {}, {} x {} of {} is expected", name,
                                 view.rows, view.columns, name_of(view.type), rows, like.columns,
                                 name_of(like.type)));
  }
}

void require_shape(const AttentionShape& shape, const MatrixView& queries, const MatrixView& keys,
                   const MatrixView& values) {
  if (shape.query_offsets.size() != shape.key_offsets.size()) {
    throw ShapeError(fmt::format("attention: offsets of {} sentences of queries and {} of keys",
                                 shape.query_offsets.size(), shape.key_offsets.size()));
  }
  if (shape.heads < 1 || queries.columns % shape.heads != 0) {
    throw ShapeError(fmt::format("attention: {} columns do not divide into {} heads",
                                 queries.columns, shape.heads));
  }
  require_probability("attention", shape.dropout.probability);
  const bool any = !shape.query_offsets.empty();
  require_view("queries", queries, queries, any ? shape.query_offsets.back() : 0);
  require_view("keys", keys, queries, any ? shape.key_offsets.back() : 0);
  require_view("values", values, queries, any ? shape.key_offsets.back() : 0);
}

// Heads of sentences in a row, divided so that every thread has about the same work.
class Division {
 public:
  Division(const AttentionShape& shape, int64_t columns)
      : shape_(shape), columns_(columns), mask_(dropout_keys(shape.dropout)) {
    const size_t sentences = shape.query_offsets.empty() ? 0 : shape.query_offsets.size() - 1;
    work_before_.push_back(0);
    for (size_t s = 0; s < sentences; ++s) {
      const AttentionHead h = head(static_cast<int64_t>(s) * shape.heads);
      // Multiply-adds and, by about 16 of them an element, reading and writing the rows.
      const int64_t work = h.queries * h.keys + 16 * (h.queries + h.keys);
      work_before_.push_back(work_before_.back() + work);
      longest_ = std::max(longest_, h.keys);
    }
  }

  int64_t longest() const { return longest_; }
  int64_t parts() const {
    constexpr int64_t kWorkPerThread = 1000;  // 20 us at 64 columns a head
    return std::clamp<int64_t>(work_before_.back() * shape_.heads / kWorkPerThread, 1, threads());
  }

  // The first head of a part: sentence * heads + head.
  int64_t begin(int64_t part) const {
    const auto sentences = static_cast<int64_t>(work_before_.size()) - 1;
    if (part >= parts()) return sentences * shape_.heads;
    const int64_t target = work_before_.back() * part / parts();
    const auto after = std::upper_bound(work_before_.begin(), work_before_.end(), target);
    const int64_t s = std::min<int64_t>(after - work_before_.begin() - 1, sentences);
    if (s == sentences) return sentences * shape_.heads;
    const auto index = static_cast<size_t>(s);
    const int64_t work = work_before_[index + 1] - work_before_[index];
    return s * shape_.heads +
           (target - work_before_[index]) * shape_.heads / std::max<int64_t>(1, work);
  }

  AttentionHead head(int64_t index) const {
    const auto s = static_cast<size_t>(index / shape_.heads);
    return {.query_begin = shape_.query_offsets[s],
            .queries = shape_.query_offsets[s + 1] - shape_.query_offsets[s],
            .key_begin = shape_.key_offsets[s],
            .keys = shape_.key_offsets[s + 1] - shape_.key_offsets[s],
            .head = index % shape_.heads,
            .heads = shape_.heads,
            .dim = columns_ / shape_.heads,
            .scale = shape_.scale,
            .causal = shape_.causal,
            .dropout = shape_.dropout,
            .mask = mask_};
  }

 private:
  const AttentionShape& shape_;
  int64_t columns_;
  DropoutKeys mask_;
  int64_t longest_ = 0;
  std::vector<int64_t> work_before_;  // each sentence, of one head
};

// Asks for the columns of a head of some rows, which no hardware prefetcher foresees: pieces of 128
// bytes, a row of the batch apart. Half of the time of short sentences was waiting for them.
void prefetch_rows(const MatrixView& view, int64_t begin, int64_t rows, const AttentionHead& head) {
  constexpr int64_t kFewRows = 128;  // more would not stay until they are read
  constexpr int64_t kLine = 64;
  const auto size = static_cast<int64_t>(size_of(view.type));
  for (int64_t row = begin; row < begin + std::min(rows, kFewRows); ++row) {
    const std::byte* piece = view.data + (row * view.stride + head.column()) * size;
    for (int64_t byte = 0; byte < head.dim * size; byte += kLine) __builtin_prefetch(piece + byte);
  }
}

// Calls body(head, work) for every head of every sentence, `floats` of work space a thread, and
// before it prefetch(next head).
template <typename Body, typename Prefetch>
void for_each_head(const Division& division, int64_t floats, Body&& body, Prefetch&& prefetch) {
  const int64_t parts = division.parts();
  std::vector<Tensor> work;
  for (int64_t part = 0; part < parts; ++part) {
    work.push_back(Tensor::uninitialized({floats}, DType::kF32));
  }
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      float* space = work[static_cast<size_t>(part)].data<float>();
      const int64_t last = division.begin(part + 1);
      for (int64_t i = division.begin(part); i < last; ++i) {
        if (i + 1 < last) prefetch(division.head(i + 1));
        body(division.head(i), space);
      }
    }
  });
}

}  // namespace

Dropout attention_row_dropout(const AttentionShape& shape, int64_t query, int64_t head) {
  const auto row = static_cast<uint64_t>(query * shape.heads + head);
  return {.probability = shape.dropout.probability, .seed = shape.dropout.seed + kSeedStep * row};
}

void attention(const AttentionShape& shape, const MatrixView& queries, const MatrixView& keys,
               const MatrixView& values, Tensor& out, Tensor& log_sums) {
  require_shape(shape, queries, keys, values);
  require_float("attention", "out", out);
  require_matrix("attention", "out", out, queries.rows, queries.columns);
  require_type("attention", "log_sums", log_sums, DType::kF32);
  require_elements("attention", "log_sums", log_sums, queries.rows * shape.heads);
  const AttentionForward tensors = {.queries = queries,
                                    .keys = keys,
                                    .values = values,
                                    .out = matrix(out),
                                    .log_sums = log_sums.data<float>()};
  const Division division(shape, queries.columns);
  const int64_t floats = forward_workspace(division.longest(), queries.columns / shape.heads);
  for_each_head(
      division, floats,
      [&](const AttentionHead& head, float* work) { attend(head, tensors, work); },
      [&](const AttentionHead& next) {
        prefetch_rows(queries, next.query_begin, next.queries, next);
        prefetch_rows(keys, next.key_begin, next.keys, next);
        prefetch_rows(values, next.key_begin, next.keys, next);
      });
}

void attention_gradient(const AttentionShape& shape, const AttentionGradient& a) {
  require_shape(shape, a.queries, a.keys, a.values);
  require_float("attention_gradient", "d_out", a.d_out);
  require_matrix("attention_gradient", "d_out", a.d_out, a.queries.rows, a.queries.columns);
  require_type("attention_gradient", "log_sums", a.log_sums, DType::kF32);
  require_elements("attention_gradient", "log_sums", a.log_sums, a.queries.rows * shape.heads);
  require_view("d_queries", a.d_queries, a.d_queries, a.queries.rows);
  require_view("d_keys", a.d_keys, a.d_queries, a.keys.rows);
  require_view("d_values", a.d_values, a.d_queries, a.keys.rows);
  const AttentionBackward tensors = {.queries = a.queries,
                                     .keys = a.keys,
                                     .values = a.values,
                                     .d_out = matrix(a.d_out),
                                     .log_sums = a.log_sums.data<float>(),
                                     .d_queries = a.d_queries,
                                     .d_keys = a.d_keys,
                                     .d_values = a.d_values};
  const Division division(shape, a.queries.columns);
  const int64_t floats = backward_workspace(division.longest(), a.queries.columns / shape.heads);
  for_each_head(
      division, floats,
      [&](const AttentionHead& head, float* work) { attend_gradient(head, tensors, work); },
      [&](const AttentionHead& next) {
        for (const MatrixView& rows : {a.queries, tensors.d_out, a.d_queries}) {
          prefetch_rows(rows, next.query_begin, next.queries, next);
        }
        for (const MatrixView& rows : {a.keys, a.values, a.d_keys, a.d_values}) {
          prefetch_rows(rows, next.key_begin, next.keys, next);
        }
      });
}

}  // namespace skein::kernels
