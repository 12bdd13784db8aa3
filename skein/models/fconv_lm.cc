#include "skein/models/fconv_lm.h"

#include <utility>

#include "skein/autograd/functions.h"

namespace skein {
namespace {

constexpr double kEmbeddingDeviation = 0.1;

}  // namespace

FConvLm::FConvLm(const FConvLmOptions& options, int64_t vocabulary)
    : options_(options),
      embedding_(parameters_.add("decoder.embedding.weight", {vocabulary, options.embedding},
                                 normal(kEmbeddingDeviation))),
      decoder_(make_decoder(vocabulary)) {
  if (!options.bands) return;
  adaptive_.emplace(parameters_, "output",
                    AdaptiveSoftmax::Options{.bands = *options.bands,
                                             .features = options.layers.back().width,
                                             .factor = options.adaptive_factor,
                                             .dropout = options.adaptive_dropout});
}

FConvLm::Decoder FConvLm::make_decoder(int64_t words) {
  const std::vector<ConvolutionLayer>& layers = options_.layers;
  const double dropout = options_.dropout;
  NormedLinear in(
      parameters_, "decoder.in",
      {.inputs = options_.embedding, .outputs = layers.front().width, .dropout = dropout});
  Decoder decoder{std::move(in),
                  make_gated_convolutions(parameters_, "decoder", layers.front().width, layers,
                                          NormedConvolution::Sight::kCausal, dropout),
                  std::nullopt, std::nullopt};
  if (options_.bands) return decoder;
  decoder.out.emplace(
      parameters_, "decoder.out",
      NormedLinear::Options{.inputs = layers.back().width, .outputs = options_.features});
  decoder.output.emplace(
      parameters_, "output",
      NormedLinear::Options{.inputs = options_.features, .outputs = words, .dropout = dropout});
  return decoder;
}

FConvLm::Decoder FConvLm::Decoder::folded(Tape& tape) const {
  Decoder result{in.folded(tape), {}, std::nullopt, std::nullopt};
  for (const GatedConvolution& layer : layers) result.layers.push_back(layer.folded(tape));
  if (out) result.out = out->folded(tape);
  if (output) result.output = output->folded(tape);
  return result;
}

OutputProjection FConvLm::output_of(Tape& tape, const Decoder& decoder) const {
  if (adaptive_) return {.weight = {}, .bias = {}, .adaptive = adaptive_->weights(tape)};
  return {.weight = decoder.output->weight(tape), .bias = decoder.output->bias()};
}

Variable FConvLm::embed_tokens(Tape& tape, std::span<const int32_t> ids) const {
  return embed(tape, {.ids = ids,
                      .position_rows = {},
                      .table = embedding_,
                      .positions = {},
                      .dropout = options_.dropout});
}

Variable FConvLm::features(Tape& tape, const Batch& batch) const {
  const PackedSequences& target = batch.target_input;
  require_lengths(target, "target", options_.max_positions);
  std::vector<Variable> outputs = {decoder_.in(tape, embed_tokens(tape, target.tokens))};
  for (const GatedConvolution& layer : decoder_.layers) {
    const Variable gates = layer.gates(tape, outputs.back(), target.offsets);
    outputs.push_back(layer.output(tape, gates, outputs));
  }
  if (!decoder_.out) return outputs.back();
  return dropout(tape, options_.dropout, (*decoder_.out)(tape, outputs.back()));
}

struct FConvLm::State : DecodeState {
  Decoder decoder;  // its weights normalised
  OutputProjection output;
  std::vector<InputWindow> windows;  // one a layer
  int64_t hypotheses = 0;
  int64_t tokens = 0;  // that every hypothesis has

  State(Decoder folded, int64_t sentences) : decoder(std::move(folded)), hypotheses(sentences) {
    for (const GatedConvolution& layer : decoder.layers) windows.push_back(layer.window());
  }

  int64_t rows() const override { return hypotheses; }

  void select(std::span<const int32_t> chosen) override {
    require_rows(chosen, rows());
    hypotheses = static_cast<int64_t>(chosen.size());
    for (InputWindow& window : windows) window.select(chosen);
  }
};

std::unique_ptr<DecodeState> FConvLm::start(const PackedSequences& /*source*/,
                                            int64_t sentences) const {
  Tape tape = inference_tape();
  auto state = std::make_unique<State>(decoder_.folded(tape), sentences);
  state->output = output_of(tape, state->decoder);
  return state;
}

Variable FConvLm::advance(Tape& tape, State& state, std::span<const int32_t> tokens,
                          int64_t count) const {
  require_tokens(state, tokens, count, state.tokens, options_.max_positions);
  // Refuses unknown tokens before the state moves on.
  const Variable embedded = embed_tokens(tape, tokens);
  state.tokens += count;
  std::vector<Variable> outputs = {state.decoder.in(tape, embedded)};
  for (size_t i = 0; i < state.decoder.layers.size(); ++i) {
    const GatedConvolution& layer = state.decoder.layers[i];
    const Variable gates = layer.gates_step(tape, outputs.back(), count, state.windows[i]);
    outputs.push_back(layer.output(tape, gates, outputs));
  }
  return outputs.back();
}

Tensor FConvLm::step(DecodeState& base, std::span<const int32_t> previous) const {
  auto& state = dynamic_cast<State&>(base);
  Tape tape = inference_tape();
  const Variable last = advance(tape, state, previous, 1);
  return project(state.decoder.out ? (*state.decoder.out)(tape, last) : last, state.output);
}

void FConvLm::read_part(DecodeState& base, std::span<const int32_t> tokens, int64_t count) const {
  Tape tape = inference_tape();
  advance(tape, dynamic_cast<State&>(base), tokens, count);
}

double FConvLm::training_flops(const Batch& batch) const {
  const auto tokens = static_cast<double>(batch.target.tokens.size());
  const std::vector<ConvolutionLayer>& layers = options_.layers;
  int64_t weights = options_.embedding * layers.front().width;
  for (const GatedConvolution& layer : decoder_.layers) weights += layer.weights();
  if (adaptive_) {
    return 6 *
           (tokens * static_cast<double>(weights) + adaptive_->multiply_adds(batch.target.tokens));
  }
  weights += options_.features * (layers.back().width + vocabulary());
  return 6 * tokens * static_cast<double>(weights);
}

}  // namespace skein
