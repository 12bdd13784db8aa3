#include "skein/models/model.h"

#include <fmt/format.h>

#include "skein/autograd/functions.h"
#include "skein/base/error.h"

namespace skein {

Tape Model::inference_tape() const {
  return Tape({.record = false, .training = false, .activations = inference_type()});
}

void require_lengths(const PackedSequences& sentences, const char* side, int64_t longest) {
  for (size_t s = 0; s < sentences.sentences(); ++s) {
    const auto length = static_cast<int64_t>(sentences.sentence(s).size());
    if (length <= longest) continue;
    throw ShapeError(
        fmt::format("{} sentence {} of the batch has {} tokens; the model takes at most {} "
                    "(model.max_positions)",
                    side, s + 1, length, longest));
  }
}

void require_rows(std::span<const int32_t> chosen, int64_t rows) {
  for (const int32_t row : chosen) {
    if (row >= 0 && row < rows) continue;
    throw ShapeError(fmt::format("row {} of {} hypotheses was selected", row, rows));
  }
}

void require_step(const DecodeState& state, std::span<const int32_t> previous, int64_t past,
                  int64_t longest) {
  if (static_cast<int64_t>(previous.size()) != state.rows()) {
    throw ShapeError(fmt::format("{} tokens for {} hypotheses", previous.size(), state.rows()));
  }
  if (past >= longest) {
    throw ShapeError(
        fmt::format("a hypothesis of {} tokens; the model takes at most {}", past + 1, longest));
  }
}

Tensor project(const Variable& features, const OutputProjection& output) {
  const Tensor& x = features.value();
  Tensor logits = Tensor::uninitialized({x.rows(), output.weight.shape()[0]}, DType::kF32);
  multiply_by_weight(x, output.weight, logits,
                     output.bias.defined() ? &output.bias.value() : nullptr);
  return logits;
}

Loss cross_entropy(Tape& tape, const Variable& features, const OutputProjection& output,
                   std::span<const int32_t> targets, double smoothing) {
  return projected_cross_entropy(tape, {.features = features,
                                        .weight = output.weight,
                                        .bias = output.bias,
                                        .targets = targets,
                                        .smoothing = smoothing});
}

}  // namespace skein
