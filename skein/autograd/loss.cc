#include "skein/autograd/loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "skein/base/error.h"
#include "skein/kernels/cross_entropy.h"
#include "skein/kernels/elementwise.h"
#include "skein/kernels/matmul.h"

namespace skein {
namespace {

// Rows projected at a time: the f32 logits of a chunk stay in the caches' reach (256 rows of 10k
// words: 10 MB).
constexpr int64_t kChunkRows = 256;

struct LossRecord {
  Tensor features;
  std::shared_ptr<Gradient> features_gradient;
  Variable weight;
  Variable bias;
  Tensor d_logits;  // [n, v] in the type of the features
  std::shared_ptr<Gradient> loss_gradient;

  void inputs() {
    const float upstream = loss_gradient->tensor().values<float>()[0];
    if (upstream != 1.0f) kernels::scale(upstream, d_logits);
    if (!features_gradient) return;
    auto [dx, accumulate] = features_gradient->target(features.shape(), features.type());
    kernels::matmul(d_logits, weight.value_as(features.type()), dx, {.accumulate = accumulate});
  }

  void weights() {
    if (weight.needs_gradient()) {
      auto [dw, accumulate] = weight.gradient()->target(weight.shape(), DType::kF32);
      kernels::matmul(d_logits, features, dw, {.transpose_a = true, .accumulate = accumulate});
    }
    if (bias.needs_gradient()) {
      auto [db, accumulate] = bias.gradient()->target(bias.shape(), DType::kF32);
      kernels::column_sum(d_logits, db, accumulate);
    }
  }
};

}  // namespace

Loss projected_cross_entropy(Tape& tape, const ProjectedCrossEntropy& arguments) {
  const Tensor& x = arguments.features.value();
  const int64_t rows = x.rows();
  const int64_t vocabulary = arguments.weight.shape()[0];
  if (static_cast<int64_t>(arguments.targets.size()) != rows) {
    throw ShapeError(fmt::format("projected_cross_entropy: {} targets for features of shape {}",
                                 arguments.targets.size(), x.shape().to_string()));
  }
  Tensor d_logits;
  if (tape.recording()) d_logits = Tensor::uninitialized({rows, vocabulary}, x.type());
  Tensor chunk = Tensor::uninitialized({std::min(rows, kChunkRows), vocabulary}, DType::kF32);
  LossSums sums{.smoothed = 0, .plain = 0, .tokens = rows};
  for (int64_t begin = 0; begin < rows; begin += kChunkRows) {
    const int64_t end = std::min(rows, begin + kChunkRows);
    Tensor logits = chunk.slice(0, end - begin);
    kernels::matmul(x.slice(begin, end), arguments.weight.value_as(x.type()), logits,
                    {.transpose_b = true,
                     .bias = arguments.bias.defined() ? &arguments.bias.value() : nullptr});
    Tensor d_chunk = tape.recording() ? d_logits.slice(begin, end) : Tensor();
    const auto count = static_cast<size_t>(end - begin);
    const kernels::CrossEntropySums part =
        kernels::cross_entropy(logits, arguments.targets.subspan(static_cast<size_t>(begin), count),
                               static_cast<float>(arguments.smoothing), d_chunk);
    sums.smoothed += part.smoothed;
    sums.plain += part.plain;
  }
  const auto value = static_cast<float>(sums.smoothed);
  Loss loss{Variable(Tensor::from<float>({value}, {1}), tape.recording()), sums};
  if (!tape.recording()) return loss;
  auto record = std::make_shared<LossRecord>(
      LossRecord{x, arguments.features.gradient(), arguments.weight, arguments.bias,
                 std::move(d_logits), loss.variable.gradient()});
  tape.record({.outputs = {loss.variable.gradient()},
               .inputs = [record] { record->inputs(); },
               .weights = [record] { record->weights(); }});
  return loss;
}

Loss sum(Tape& tape, std::span<const Loss> parts) {
  LossSums sums;
  std::vector<std::shared_ptr<Gradient>> gradients;
  for (const Loss& part : parts) {
    sums.smoothed += part.sums.smoothed;
    sums.plain += part.sums.plain;
    sums.tokens += part.sums.tokens;
    if (part.variable.needs_gradient()) gradients.push_back(part.variable.gradient());
  }
  const auto value = static_cast<float>(sums.smoothed);
  Loss loss{Variable(Tensor::from<float>({value}, {1}), !gradients.empty()), sums};
  if (gradients.empty()) return loss;
  tape.record({.outputs = {loss.variable.gradient()},
               .inputs =
                   [gradients, d_loss = loss.variable.gradient()] {
                     for (const auto& each : gradients) each->add(d_loss->tensor());
                   },
               .weights = nullptr});
  return loss;
}

}  // namespace skein
