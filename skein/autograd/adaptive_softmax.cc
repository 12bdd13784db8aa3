#include "skein/autograd/adaptive_softmax.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "skein/autograd/functions.h"
#include "skein/autograd/rows.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/cross_entropy.h"
#include "skein/kernels/rows.h"
#include "skein/kernels/top_k.h"

namespace skein {
namespace {

// Rows projected at a time where only some of their logits are needed.
constexpr int64_t kRowsAtOnce = 512;

using Members = std::vector<WordBands::Members>;

void require_targets(const Tensor& features, std::span<const int32_t> targets) {
  if (static_cast<int64_t>(targets.size()) == features.rows()) return;
  throw ShapeError(fmt::format("adaptive softmax: {} targets for features of shape {}",
                               targets.size(), features.shape().to_string()));
}

// What the head has to find: a word of the first band, or the class of another.
std::vector<int32_t> head_targets(const WordBands& bands, const Members& members, size_t targets) {
  std::vector<int32_t> result(targets);
  for (size_t band = 0; band < members.size(); ++band) {
    for (size_t i = 0; i < members[band].rows.size(); ++i) {
      const auto row = static_cast<size_t>(members[band].rows[i]);
      result[row] = band == 0
                        ? members[0].words[i]
                        : static_cast<int32_t>(bands.words(0) + static_cast<int64_t>(band) - 1);
    }
  }
  return result;
}

// [n, outputs] in the type of x, or f32.
Tensor product(const Tensor& x, const Variable& weight, DType type) {
  Tensor y = Tensor::uninitialized({x.rows(), weight.shape()[0]}, type);
  multiply_by_weight(x, weight, y);
  return y;
}

Tensor tail_logits(const Tensor& x, const AdaptiveWeights::Tail& tail) {
  return product(product(x, tail.in, x.type()), tail.out, DType::kF32);
}

// scores[rows[i]] += log p of words[i] under logits row i.
void add_scores(const Tensor& logits, std::span<const int32_t> words, std::span<const int32_t> rows,
                std::span<float> scores) {
  const auto columns = static_cast<size_t>(logits.columns());
  parallel_for(static_cast<int64_t>(words.size()), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      const auto row = logits.values<float>().subspan(i * columns, columns);
      scores[static_cast<size_t>(rows[i])] +=
          row[static_cast<size_t>(words[i])] - kernels::log_sum_exp(row);
    }
  });
}

// The same for chosen rows of the features, as many at a time as their logits have a place.
template <typename Logits>
void score(const Tensor& features, std::span<const int32_t> words, std::span<const int32_t> rows,
           const Logits& logits_of, std::span<float> scores) {
  constexpr auto kStep = static_cast<size_t>(kRowsAtOnce);
  for (size_t begin = 0; begin < rows.size(); begin += kStep) {
    const size_t count = std::min(kStep, rows.size() - begin);
    const auto chosen = rows.subspan(begin, count);
    Tensor x =
        Tensor::uninitialized({static_cast<int64_t>(count), features.columns()}, features.type());
    kernels::gather_rows(features, chosen, x);
    add_scores(logits_of(x), words.subspan(begin, count), chosen, scores);
  }
}

// out[r, first + i] = part[r, i] + prior[r, class], for all rows and i.
void place(const Tensor& part, int64_t columns, const Tensor& prior, int64_t prior_column,
           int64_t first, Tensor& out) {
  parallel_for(out.rows(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* from = part.data<float>() + r * part.columns();
      const float offset =
          prior.defined() ? prior.data<float>()[r * prior.columns() + prior_column] : 0;
      float* to = out.data<float>() + r * out.columns() + first;
      for (int64_t i = 0; i < columns; ++i) to[i] = from[i] + offset;
    }
  });
}

}  // namespace

Loss adaptive_cross_entropy(Tape& tape, const Variable& features, const AdaptiveWeights& weights,
                            std::span<const int32_t> targets) {
  require_targets(features.value(), targets);
  const Members members = weights.bands.split(targets);
  std::vector<Loss> parts;
  // The tails first: in the backward pass the head then comes before them and writes the gradient
  // of all rows, to which they add theirs.
  for (size_t i = 0; i < weights.tails.size(); ++i) {
    const auto& [rows, words] = members[i + 1];
    if (rows.empty()) continue;
    const AdaptiveWeights::Tail& tail = weights.tails[i];
    const Variable inner = linear(tape, select_rows(tape, features, rows), tail.in, Variable());
    parts.push_back(
        projected_cross_entropy(tape, {.features = dropout(tape, weights.dropout, inner),
                                       .weight = tail.out,
                                       .bias = {},
                                       .targets = words}));
  }
  parts.push_back(projected_cross_entropy(
      tape, {.features = features,
             .weight = weights.head,
             .bias = {},
             .targets = head_targets(weights.bands, members, targets.size())}));
  Loss loss = sum(tape, parts);
  loss.sums.tokens = static_cast<int64_t>(targets.size());
  return loss;
}

Tensor adaptive_log_probabilities(const Tensor& features, const AdaptiveWeights& weights) {
  const WordBands& bands = weights.bands;
  Tensor out = Tensor::uninitialized({features.rows(), bands.vocabulary()}, DType::kF32);
  Tensor head = product(features, weights.head, DType::kF32);
  kernels::log_softmax(head, head);
  place(head, bands.words(0), Tensor(), 0, 0, out);
  for (size_t i = 0; i < weights.tails.size(); ++i) {
    Tensor tail = tail_logits(features, weights.tails[i]);
    kernels::log_softmax(tail, tail);
    place(tail, bands.words(i + 1), head, bands.words(0) + static_cast<int64_t>(i),
          bands.first(i + 1), out);
  }
  return out;
}

std::vector<float> adaptive_target_log_probabilities(const Tensor& features,
                                                     const AdaptiveWeights& weights,
                                                     std::span<const int32_t> targets) {
  require_targets(features, targets);
  const Members members = weights.bands.split(targets);
  std::vector<float> scores(targets.size());
  std::vector<int32_t> all(targets.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
  score(
      features, head_targets(weights.bands, members, targets.size()), all,
      [&](const Tensor& x) { return product(x, weights.head, DType::kF32); }, scores);
  for (size_t i = 0; i < weights.tails.size(); ++i) {
    score(
        features, members[i + 1].words, members[i + 1].rows,
        [&](const Tensor& x) { return tail_logits(x, weights.tails[i]); }, scores);
  }
  return scores;
}

}  // namespace skein
