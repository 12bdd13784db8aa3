// Step-by-step decoding with the layers of LightConv and DynamicConv.
#include <fmt/format.h>

#include <utility>

#include "skein/base/error.h"
#include "skein/models/lightconv.h"
#include "skein/nn/positions.h"

namespace skein {

struct LightConv::State : DecodeState {
  std::vector<int32_t> sentences;       // of the hypotheses
  std::vector<int32_t> source_offsets;  // [sentences + 1]
  std::vector<Variable> memories;       // one a layer: keys and values of the source
  std::vector<InputWindow> windows;     // one a layer
  int64_t tokens = 0;                   // that every hypothesis has

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

std::unique_ptr<DecodeState> LightConv::start(const PackedSequences& source,
                                              int64_t sentences) const {
  auto state = std::make_unique<State>();
  for (int32_t s = 0; s < sentences; ++s) state->sentences.push_back(s);
  for (const Layer& layer : decoder_) state->windows.push_back(layer.convolution.window());
  if (!has_source()) return state;
  if (static_cast<int64_t>(source.sentences()) != sentences) {
    throw ShapeError(
        fmt::format("{} source sentences for {} hypotheses", source.sentences(), sentences));
  }
  Tape tape = inference_tape();
  const Variable encoded = encode(tape, source);
  state->source_offsets = source.offsets;
  for (const Layer& layer : decoder_) {
    state->memories.push_back(layer.cross->memory(tape, encoded));
  }
  return state;
}

Variable LightConv::advance(Tape& tape, State& state, std::span<const int32_t> tokens,
                            int64_t count) const {
  require_tokens(state, tokens, count, state.tokens, options_.max_positions);
  const std::vector<int32_t> positions = next_position_rows(state.rows(), state.tokens, count);
  // Refuses unknown tokens before the state moves on.
  ResidualStream stream(tape, words_.target()(tape, tokens, positions),
                        {.pre_norm = pre_norm(), .dropout = options_.dropout});
  state.tokens += count;
  CacheRows visible;
  if (has_source()) {
    visible = rows_of_sentences(state.sentences, state.source_offsets, count);
  }
  for (size_t i = 0; i < decoder_.size(); ++i) {
    const Layer& layer = decoder_[i];
    const Variable x = convolution_input(tape, stream, layer);
    stream.output(layer.convolution.step(tape, x, count, state.windows[i]), layer.convolution_norm);
    if (layer.cross) {
      const Variable query = stream.input(layer.cross_norm);
      stream.output(layer.cross->step(tape, query, state.memories[i], visible), layer.cross_norm);
    }
    stream.output(layer.ffn(tape, stream.input(layer.ffn_norm)), layer.ffn_norm);
  }
  return stream.end(decoder_norm_);
}

Tensor LightConv::step(DecodeState& base, std::span<const int32_t> previous) const {
  Tape tape = inference_tape();
  const Variable last = advance(tape, dynamic_cast<State&>(base), previous, 1);
  return project(last, output(tape));
}

void LightConv::read_part(DecodeState& base, std::span<const int32_t> tokens, int64_t count) const {
  Tape tape = inference_tape();
  advance(tape, dynamic_cast<State&>(base), tokens, count);
}

}  // namespace skein
