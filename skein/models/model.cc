#include "skein/models/model.h"

#include <fmt/format.h>

#include <vector>

#include "skein/base/error.h"

namespace skein {

Tape Model::inference_tape() const {
  return Tape({.record = false, .training = false, .activations = inference_type()});
}

void Model::read(DecodeState& state, std::span<const int32_t> tokens, int64_t count) const {
  const auto rows = static_cast<size_t>(state.rows());
  require_tokens(state, tokens, count, 0, max_target_length());
  std::vector<int32_t> column(rows);
  for (size_t t = 0; t < static_cast<size_t>(count); ++t) {
    for (size_t row = 0; row < rows; ++row)
      column[row] = tokens[row * static_cast<size_t>(count) + t];
    step(state, column);
  }
}

Tensor Model::alignment(const Batch& /*batch*/) const {
  throw Error("this model does not tell what its target words attend to");
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

void require_tokens(const DecodeState& state, std::span<const int32_t> tokens, int64_t count,
                    int64_t past, int64_t longest) {
  if (count < 1 || static_cast<int64_t>(tokens.size()) != count * state.rows()) {
    throw ShapeError(
        fmt::format("{} tokens for {} hypotheses, {} each", tokens.size(), state.rows(), count));
  }
  if (past + count > longest) {
    throw ShapeError(fmt::format("a hypothesis of {} tokens; the model takes at most {}",
                                 past + count, longest));
  }
}

}  // namespace skein
