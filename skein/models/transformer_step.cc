// Step-by-step decoding with the Transformer's layers.
#include <fmt/format.h>

#include <utility>

#include "skein/base/error.h"
#include "skein/models/transformer.h"
#include "skein/nn/positions.h"

namespace skein {
// Hypotheses are lists of cache rows (all layers use the same numbers), so that selecting them
// copies lists and no keys or values.
struct Transformer::State : DecodeState {
  struct Hypothesis {
    int32_t sentence = 0;
    std::vector<int32_t> rows;  // of its tokens, in the caches
  };
  std::vector<Hypothesis> hypotheses;
  std::vector<int32_t> source_offsets;  // [sentences + 1]
  std::vector<Variable> memories;       // one a layer: keys and values of the source
  std::vector<KeyValueCache> caches;    // one a layer
  int64_t tokens = 0;                   // that every hypothesis has

  int64_t rows() const override { return static_cast<int64_t>(hypotheses.size()); }

  void select(std::span<const int32_t> chosen) override {
    require_rows(chosen, rows());
    std::vector<Hypothesis> next;
    next.reserve(chosen.size());
    for (const int32_t row : chosen) next.push_back(hypotheses[static_cast<size_t>(row)]);
    hypotheses = std::move(next);
  }

  // Every hypothesis gets the next `count` cache rows; each of them sees itself and those before.
  CacheRows advance(int64_t count) {
    auto next = static_cast<int32_t>(caches.front().used);
    CacheRows visible;
    for (Hypothesis& each : hypotheses) {
      for (int64_t t = 0; t < count; ++t) {
        each.rows.push_back(next++);
        visible.rows.insert(visible.rows.end(), each.rows.begin(), each.rows.end());
        visible.offsets.push_back(static_cast<int32_t>(visible.rows.size()));
      }
    }
    return visible;
  }

  CacheRows source_rows(int64_t count) const {
    std::vector<int32_t> sentences;
    for (const Hypothesis& each : hypotheses) sentences.push_back(each.sentence);
    return rows_of_sentences(sentences, source_offsets, count);
  }
};

std::unique_ptr<DecodeState> Transformer::start(const PackedSequences& source,
                                                int64_t sentences) const {
  auto state = std::make_unique<State>();
  state->caches.resize(decoder_.size());
  for (int32_t s = 0; s < sentences; ++s) state->hypotheses.push_back({.sentence = s, .rows = {}});
  if (!has_source()) return state;
  if (static_cast<int64_t>(source.sentences()) != sentences) {
    throw ShapeError(
        fmt::format("{} source sentences for {} hypotheses", source.sentences(), sentences));
  }
  Tape tape = inference_tape();
  const Variable encoded = encode(tape, source);
  state->source_offsets = source.offsets;
  for (const DecoderLayer& layer : decoder_)
    state->memories.push_back(layer.cross->memory(tape, encoded));
  return state;
}

Variable Transformer::advance(Tape& tape, State& state, std::span<const int32_t> tokens,
                              int64_t count) const {
  require_tokens(state, tokens, count, state.tokens, options_.max_positions);
  const std::vector<int32_t> positions = next_position_rows(state.rows(), state.tokens, count);
  // Refuses unknown tokens before the state moves on.
  ResidualStream stream(tape, words_.target()(tape, tokens, positions), stream_options());
  state.tokens += count;
  const CacheRows visible = state.advance(count);
  const CacheRows visible_source = has_source() ? state.source_rows(count) : CacheRows();
  for (size_t i = 0; i < decoder_.size(); ++i) {
    const DecoderLayer& layer = decoder_[i];
    const Variable x = stream.input(layer.attention_norm);
    stream.output(layer.attention.step(tape, x, state.caches[i], visible), layer.attention_norm);
    if (layer.cross) {
      const Variable query = stream.input(layer.cross_norm);
      stream.output(layer.cross->step(tape, query, state.memories[i], visible_source),
                    layer.cross_norm);
    }
    stream.output(layer.ffn(tape, stream.input(layer.ffn_norm)), layer.ffn_norm);
  }
  return stream.end(decoder_norm_);
}

Tensor Transformer::step(DecodeState& base, std::span<const int32_t> previous) const {
  Tape tape = inference_tape();
  const Variable last = advance(tape, dynamic_cast<State&>(base), previous, 1);
  return project(last, output(tape));
}

void Transformer::read_part(DecodeState& base, std::span<const int32_t> tokens,
                            int64_t count) const {
  Tape tape = inference_tape();
  advance(tape, dynamic_cast<State&>(base), tokens, count);
}

}  // namespace skein
