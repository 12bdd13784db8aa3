// Step-by-step decoding with the layers of ConvS2S.
#include <fmt/format.h>

#include <utility>

#include "skein/base/error.h"
#include "skein/models/fconv.h"
#include "skein/nn/positions.h"

namespace skein {

struct FConv::State : DecodeState {
  Decoder decoder;  // its weights normalised
  OutputProjection output;
  Variable memory;                      // keys and values of the source
  std::vector<int32_t> source_offsets;  // [sentences + 1]
  std::vector<int32_t> sentences;       // of the hypotheses
  std::vector<InputWindow> windows;     // one a layer
  int64_t tokens = 0;                   // that every hypothesis has

  explicit State(Decoder folded) : decoder(std::move(folded)) {
    for (const DecoderLayer& layer : decoder.layers) {
      windows.push_back(layer.convolution.window());
    }
  }

  int64_t rows() const override { return static_cast<int64_t>(sentences.size()); }

  void select(std::span<const int32_t> chosen) override {
    require_rows(chosen, rows());
    std::vector<int32_t> next;
    next.reserve(chosen.size());
    for (const int32_t row : chosen) next.push_back(sentences[static_cast<size_t>(row)]);
    sentences = std::move(next);
    for (InputWindow& window : windows) window.select(chosen);
  }
};

std::unique_ptr<DecodeState> FConv::start(const PackedSequences& source, int64_t sentences) const {
  if (static_cast<int64_t>(source.sentences()) != sentences) {
    throw ShapeError(
        fmt::format("{} source sentences for {} hypotheses", source.sentences(), sentences));
  }
  Tape tape = inference_tape();
  auto state = std::make_unique<State>(decoder_.folded(tape));
  state->output = output_of(tape, state->decoder);
  const auto [keys, values] = encode(tape, source);
  state->memory = attention_memory(tape, keys, values, source.offsets);
  state->source_offsets = source.offsets;
  for (int32_t s = 0; s < sentences; ++s) state->sentences.push_back(s);
  return state;
}

Variable FConv::advance(Tape& tape, State& state, std::span<const int32_t> tokens,
                        int64_t count) const {
  require_tokens(state, tokens, count, state.tokens, options_.max_positions);
  // Refuses unknown tokens before the state moves on.
  const Variable embedded = embed_tokens(
      tape, tokens, next_position_rows(state.rows(), state.tokens, count), target_embedding_);
  state.tokens += count;
  const CacheRows visible = rows_of_sentences(state.sentences, state.source_offsets, count);
  std::vector<Variable> outputs = {state.decoder.in(tape, embedded)};
  for (size_t i = 0; i < state.decoder.layers.size(); ++i) {
    const DecoderLayer& layer = state.decoder.layers[i];
    GatedConvolution::Attend attend;
    if (layer.attention) {
      attend = [&](const Variable& x) {
        const Variable query = layer.attention->query(tape, x, embedded);
        return layer.attention->step(tape, x, query, state.memory, visible);
      };
    }
    const Variable gates =
        layer.convolution.gates_step(tape, outputs.back(), count, state.windows[i]);
    outputs.push_back(layer.convolution.output(tape, gates, outputs, attend));
  }
  return outputs.back();
}

Tensor FConv::step(DecodeState& base, std::span<const int32_t> previous) const {
  auto& state = dynamic_cast<State&>(base);
  Tape tape = inference_tape();
  return project(state.decoder.out(tape, advance(tape, state, previous, 1)), state.output);
}

void FConv::read_part(DecodeState& base, std::span<const int32_t> tokens, int64_t count) const {
  Tape tape = inference_tape();
  advance(tape, dynamic_cast<State&>(base), tokens, count);
}

}  // namespace skein
