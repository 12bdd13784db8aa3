#include "skein/models/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "skein/base/error.h"

namespace skein {

Tape Model::inference_tape() const {
  return Tape({.record = false, .training = false, .activations = inference_type()});
}

void Model::read(DecodeState& state, std::span<const int32_t> tokens, int64_t count) const {
  require_tokens(state, tokens, count, 0, max_target_length());
  // Windows and lists of visible rows take memory for each token that is read at once.
  constexpr int64_t kAtOnce = 256;
  read_in_parts(tokens, count, kAtOnce, [&](std::span<const int32_t> part, int64_t columns) {
    read_part(state, part, columns);
  });
}

void Model::read_part(DecodeState& state, std::span<const int32_t> tokens, int64_t count) const {
  read_in_parts(tokens, count, 1,
                [&](std::span<const int32_t> column, int64_t) { step(state, column); });
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

void read_in_parts(std::span<const int32_t> tokens, int64_t count, int64_t most,
                   const std::function<void(std::span<const int32_t>, int64_t)>& read) {
  std::vector<int32_t> part;
  for (int64_t begin = 0; begin < count; begin += most) {
    const int64_t columns = std::min(most, count - begin);
    part.clear();
    for (size_t row = 0; row < tokens.size(); row += static_cast<size_t>(count)) {
      const auto some =
          tokens.subspan(row + static_cast<size_t>(begin), static_cast<size_t>(columns));
      part.insert(part.end(), some.begin(), some.end());
    }
    read(part, columns);
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
