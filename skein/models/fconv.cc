#include "skein/models/fconv.h"

#include <fmt/format.h>

#include <algorithm>

#include "skein/nn/positions.h"

namespace skein {
namespace {

using Sight = NormedConvolution::Sight;

constexpr double kEmbeddingDeviation = 0.1;

}  // namespace

FConv::FConv(const FConvOptions& options, const VocabularySizes& vocabulary)
    : options_(options),
      attention_layers_(std::count(options.attention.begin(), options.attention.end(), true)),
      source_embedding_(add_embedding("encoder", vocabulary.source)),
      encoder_(make_encoder()),
      target_embedding_(add_embedding("decoder", vocabulary.target)),
      decoder_(make_decoder(vocabulary.target)) {
  if (options.share_output) {
    shared_output_bias_ = parameters_.add("output.bias", {vocabulary.target}, constant(0));
  }
}

FConv::Embedding FConv::add_embedding(const std::string& side, int64_t words) {
  const Initializer initial = normal(kEmbeddingDeviation);
  const int64_t width = options_.embedding;
  Embedding embedding;
  embedding.tokens = parameters_.add(side + ".embedding.weight", {words, width}, initial);
  if (options_.positions) {
    embedding.positions = parameters_.add(
        side + ".positions.weight", {options_.max_positions + kFirstPositionRow, width}, initial);
  }
  return embedding;
}

FConv::Encoder FConv::make_encoder() {
  const std::vector<ConvolutionLayer>& layers = options_.encoder_layers;
  return {.in = NormedLinear(parameters_, "encoder.in",
                             {.inputs = options_.embedding,
                              .outputs = layers.front().width,
                              .dropout = options_.dropout}),
          .layers = make_gated_convolutions(parameters_, "encoder", layers.front().width, layers,
                                            Sight::kCentred, options_.dropout),
          .out = NormedLinear(parameters_, "encoder.out",
                              {.inputs = layers.back().width, .outputs = options_.embedding})};
}

FConv::Decoder FConv::make_decoder(int64_t words) {
  const std::vector<ConvolutionLayer>& layers = options_.decoder_layers;
  NormedLinear in(
      parameters_, "decoder.in",
      {.inputs = options_.embedding, .outputs = layers.front().width, .dropout = options_.dropout});
  const std::vector<GatedConvolution> convolutions = make_gated_convolutions(
      parameters_, "decoder", layers.front().width, layers, Sight::kCausal, options_.dropout);
  std::vector<DecoderLayer> decoder_layers;
  for (size_t i = 0; i < layers.size(); ++i) {
    decoder_layers.push_back({convolutions[i], std::nullopt});
    if (!options_.attention[i]) continue;
    decoder_layers.back().attention.emplace(parameters_,
                                            fmt::format("decoder.layers.{}.attention", i),
                                            layers[i].width, options_.embedding);
  }
  NormedLinear out(parameters_, "decoder.out",
                   {.inputs = layers.back().width, .outputs = options_.features});
  std::optional<NormedLinear> output;
  if (!options_.share_output) {
    output.emplace(parameters_, "output",
                   NormedLinear::Options{
                       .inputs = options_.features, .outputs = words, .dropout = options_.dropout});
  }
  return {std::move(in), std::move(decoder_layers), std::move(out), std::move(output)};
}

FConv::Decoder FConv::Decoder::folded(Tape& tape) const {
  Decoder result{in.folded(tape), {}, out.folded(tape), std::nullopt};
  for (const DecoderLayer& layer : layers) {
    result.layers.push_back({layer.convolution.folded(tape), std::nullopt});
    if (layer.attention) result.layers.back().attention = layer.attention->folded(tape);
  }
  if (output) result.output = output->folded(tape);
  return result;
}

OutputProjection FConv::output_of(Tape& tape, const Decoder& decoder) const {
  if (!decoder.output) return {target_embedding_.tokens, shared_output_bias_};
  return {decoder.output->weight(tape), decoder.output->bias()};
}

OutputProjection FConv::output(Tape& tape) const { return output_of(tape, decoder_); }

Variable FConv::embed_tokens(Tape& tape, std::span<const int32_t> ids,
                             std::span<const int32_t> rows, const Embedding& embedding) const {
  return embed(tape, {.ids = ids,
                      .position_rows = rows,
                      .table = embedding.tokens,
                      .positions = embedding.positions,
                      .dropout = options_.dropout});
}

FConv::Encoded FConv::encode(Tape& tape, const PackedSequences& source) const {
  require_lengths(source, "source", options_.max_positions);
  const Variable embedded =
      embed_tokens(tape, source.tokens, position_rows(source.offsets), source_embedding_);
  std::vector<Variable> outputs = {encoder_.in(tape, embedded)};
  for (const GatedConvolution& layer : encoder_.layers) {
    const Variable gates = layer.gates(tape, outputs.back(), source.offsets);
    outputs.push_back(layer.output(tape, gates, outputs));
  }
  // Every attention adds to the encoder's gradient; the paper divides by their number
  // (section 3.4), the reference by twice that.
  const Variable keys = scale_gradient(tape, encoder_.out(tape, outputs.back()),
                                       1 / (2 * static_cast<double>(attention_layers_)));
  return {keys, scaled_sum(tape, keys, embedded, kResidualScale)};
}

Variable FConv::decode(Tape& tape, const Batch& batch, const Variable& memory,
                       std::vector<Variable>* queries) const {
  const PackedSequences& target = batch.target_input;
  require_lengths(target, "target", options_.max_positions);
  const Variable embedded =
      embed_tokens(tape, target.tokens, position_rows(target.offsets), target_embedding_);
  std::vector<Variable> outputs = {decoder_.in(tape, embedded)};
  for (const DecoderLayer& layer : decoder_.layers) {
    GatedConvolution::Attend attend;
    if (layer.attention) {
      attend = [&](const Variable& x) {
        const Variable query = layer.attention->query(tape, x, embedded);
        if (queries != nullptr) queries->push_back(query);
        return (*layer.attention)(tape, x, query, memory, target.offsets, batch.source.offsets);
      };
    }
    const Variable gates = layer.convolution.gates(tape, outputs.back(), target.offsets);
    outputs.push_back(layer.convolution.output(tape, gates, outputs, attend));
  }
  return dropout(tape, options_.dropout, decoder_.out(tape, outputs.back()));
}

Variable FConv::features(Tape& tape, const Batch& batch) const {
  const auto [keys, values] = encode(tape, batch.source);
  return decode(tape, batch, attention_memory(tape, keys, values, batch.source.offsets), nullptr);
}

Tensor FConv::alignment(const Batch& batch) const {
  Tape tape = inference_tape();
  const auto [keys, values] = encode(tape, batch.source);
  const Variable memory = attention_memory(tape, keys, values, batch.source.offsets);
  std::vector<Variable> queries;
  decode(tape, batch, memory, &queries);
  int64_t cells = 0;
  for (size_t s = 0; s < batch.source.sentences(); ++s) {
    cells += static_cast<int64_t>(batch.source.sentence(s).size() *
                                  batch.target_input.sentence(s).size());
  }
  Tensor sums = Tensor::zeros({cells}, DType::kF32);
  for (const Variable& query : queries) {
    add_attention_weights(query, memory, batch.target_input.offsets, batch.source.offsets, sums);
  }
  kernels::scale(1 / static_cast<float>(decoder_.layers.size()), sums);
  return sums;
}

double FConv::training_flops(const Batch& batch) const {
  const auto source = static_cast<double>(batch.source.tokens.size());
  const auto target = static_cast<double>(batch.target.tokens.size());
  const auto embedding = static_cast<double>(options_.embedding);
  const auto width_of = [](const ConvolutionLayer& layer) {
    return static_cast<double>(layer.width);
  };
  double source_weights = embedding * (width_of(options_.encoder_layers.front()) +
                                       width_of(options_.encoder_layers.back()));
  for (const GatedConvolution& layer : encoder_.layers) {
    source_weights += static_cast<double>(layer.weights());
  }
  const auto features = static_cast<double>(options_.features);
  double target_weights = embedding * width_of(options_.decoder_layers.front()) +
                          features * width_of(options_.decoder_layers.back()) +
                          features * static_cast<double>(target_embedding_.tokens.shape()[0]);
  for (size_t i = 0; i < decoder_.layers.size(); ++i) {
    target_weights += static_cast<double>(decoder_.layers[i].convolution.weights());
    if (options_.attention[i]) {
      target_weights += 2 * embedding * width_of(options_.decoder_layers[i]);
    }
  }
  // Attention: two products over the pairs of tokens.
  double pairs = 0;
  for (size_t s = 0; s < batch.target.sentences(); ++s) {
    pairs += static_cast<double>(batch.source.sentence(s).size() * batch.target.sentence(s).size());
  }
  return 6 * (source * source_weights + target * target_weights +
              2 * static_cast<double>(attention_layers_) * pairs * embedding);
}

}  // namespace skein
