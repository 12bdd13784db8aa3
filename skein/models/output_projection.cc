#include "skein/models/output_projection.h"

#include <fmt/format.h>

#include <algorithm>

#include "skein/autograd/functions.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/top_k.h"

namespace skein {
namespace {

// Logits of more tokens at once take memory and save no time.
constexpr int64_t kRowsAtOnce = 512;

// Adds the log-probability of targets[i] under logits row i.
void add_scores(const Tensor& logits, std::span<const int32_t> targets,
                std::vector<float>& scores) {
  const int64_t columns = logits.columns();
  const size_t first = scores.size();
  scores.resize(first + targets.size());
  parallel_for(static_cast<int64_t>(targets.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto row = logits.values<float>().subspan(static_cast<size_t>(i * columns),
                                                      static_cast<size_t>(columns));
      const auto target = static_cast<size_t>(targets[static_cast<size_t>(i)]);
      scores[first + static_cast<size_t>(i)] = row[target] - kernels::log_sum_exp(row);
    }
  });
}

}  // namespace

Tensor project(const Variable& features, const OutputProjection& output) {
  const Tensor& x = features.value();
  if (output.adaptive) return adaptive_log_probabilities(x, *output.adaptive);
  Tensor logits = Tensor::uninitialized({x.rows(), output.weight.shape()[0]}, DType::kF32);
  multiply_by_weight(x, output.weight, logits,
                     output.bias.defined() ? &output.bias.value() : nullptr);
  return logits;
}

void require_smoothing(const OutputProjection& output, double smoothing) {
  if (!output.adaptive || smoothing == 0) return;
  throw UsageError(fmt::format(
      "a label smoothing of {} takes the probability of every word, which an adaptive softmax "
      "leaves out in training; set criterion.name to cross_entropy or clear model.cutoffs",
      smoothing));
}

Loss cross_entropy(Tape& tape, const Variable& features, const OutputProjection& output,
                   std::span<const int32_t> targets, double smoothing) {
  require_smoothing(output, smoothing);
  if (output.adaptive) return adaptive_cross_entropy(tape, features, *output.adaptive, targets);
  return projected_cross_entropy(tape, {.features = features,
                                        .weight = output.weight,
                                        .bias = output.bias,
                                        .targets = targets,
                                        .smoothing = smoothing});
}

std::vector<float> target_log_probabilities(const Variable& features,
                                            const OutputProjection& output,
                                            std::span<const int32_t> targets) {
  const Tensor& x = features.value();
  if (output.adaptive) return adaptive_target_log_probabilities(x, *output.adaptive, targets);
  std::vector<float> scores;
  for (int64_t begin = 0; begin < x.rows(); begin += kRowsAtOnce) {
    const int64_t end = std::min(x.rows(), begin + kRowsAtOnce);
    const Tensor logits = project(Variable(x.slice(begin, end)), output);
    add_scores(logits,
               targets.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)),
               scores);
  }
  return scores;
}

}  // namespace skein
