#include "skein/models/lightconv.h"

#include <fmt/format.h>

#include "skein/base/error.h"
#include "skein/nn/positions.h"

namespace skein {

LightConv::LightConv(const LightConvOptions& options, const VocabularySizes& vocabulary)
    : options_(options),
      words_(parameters_,
             {.embedding = {.width = options.width,
                            .learned_positions = options.positions == "learned",
                            .max_positions = options.max_positions,
                            .dropout = options.dropout},
              .has_source = !options.encoder_kernels.empty(),
              .share = options.share_embeddings,
              .bands = options.bands,
              .adaptive_input = options.adaptive_input,
              .adaptive_factor = options.adaptive_factor,
              .adaptive_dropout = options.adaptive_dropout},
             vocabulary) {
  using Sight = LightConvolution::Sight;
  for (const int64_t kernel : options.encoder_kernels) {
    const std::string name = fmt::format("encoder.layers.{}.", encoder_.size());
    encoder_.push_back(make_layer(name, kernel, Sight::kCentred));
  }
  for (const int64_t kernel : options.decoder_kernels) {
    const std::string name = fmt::format("decoder.layers.{}.", decoder_.size());
    decoder_.push_back(make_layer(name, kernel, Sight::kCausal));
  }
  if (!pre_norm()) return;
  if (has_source()) encoder_norm_ = make_layer_norm(parameters_, "encoder.norm", options.width);
  decoder_norm_ = make_layer_norm(parameters_, "decoder.norm", options.width);
}

LightConv::Layer LightConv::make_layer(const std::string& name, int64_t kernel,
                                       LightConvolution::Sight sight) {
  using Kind = LightConvolution::Kind;
  const int64_t width = options_.width;
  LightConvolution convolution(parameters_, name + "convolution",
                               {.kind = options_.kind == "light" ? Kind::kLight : Kind::kDynamic,
                                .sight = sight,
                                .width = width,
                                .kernel = kernel,
                                .glu = options_.glu,
                                .convolution = {.heads = options_.heads,
                                                .softmax = options_.softmax,
                                                .dropout = options_.weight_dropout}});
  const NormParameters convolution_norm =
      make_layer_norm(parameters_, name + "convolution_norm", width);
  std::optional<CrossAttention> cross;
  NormParameters cross_norm;
  if (has_source() && sight == LightConvolution::Sight::kCausal) {
    cross.emplace(
        parameters_, name + "cross",
        MultiHeadOptions{
            .width = width, .heads = options_.heads, .dropout = options_.attention_dropout});
    cross_norm = make_layer_norm(parameters_, name + "cross_norm", width);
  }
  FeedForward ffn(parameters_, name + "ffn",
                  {.width = width,
                   .inner = options_.ffn,
                   .activation = options_.activation,
                   .dropout = options_.activation_dropout});
  return {convolution, convolution_norm,
          cross,       cross_norm,
          ffn,         make_layer_norm(parameters_, name + "ffn_norm", width)};
}

Variable LightConv::convolution_input(Tape& tape, ResidualStream& stream,
                                      const Layer& layer) const {
  return dropout(tape, options_.input_dropout, stream.input(layer.convolution_norm));
}

Variable LightConv::encode(Tape& tape, const PackedSequences& source) const {
  if (!has_source()) throw Error("a language model has no source to encode or to align with");
  require_lengths(source, "source", options_.max_positions);
  ResidualStream stream(tape, words_.source()(tape, source.tokens, position_rows(source.offsets)),
                        {.pre_norm = pre_norm(), .dropout = options_.dropout});
  for (const Layer& layer : encoder_) {
    const Variable x = convolution_input(tape, stream, layer);
    stream.output(layer.convolution(tape, x, source.offsets), layer.convolution_norm);
    stream.output(layer.ffn(tape, stream.input(layer.ffn_norm)), layer.ffn_norm);
  }
  return stream.end(encoder_norm_);
}

Variable LightConv::decode(Tape& tape, const Batch& batch, const Variable& encoded,
                           Variable* last_query) const {
  const PackedSequences& target = batch.target_input;
  require_lengths(target, "target", options_.max_positions);
  ResidualStream stream(tape, words_.target()(tape, target.tokens, position_rows(target.offsets)),
                        {.pre_norm = pre_norm(), .dropout = options_.dropout});
  for (const Layer& layer : decoder_) {
    const Variable x = convolution_input(tape, stream, layer);
    stream.output(layer.convolution(tape, x, target.offsets), layer.convolution_norm);
    if (layer.cross) {
      const Variable query = stream.input(layer.cross_norm);
      if (last_query != nullptr) *last_query = query;
      stream.output((*layer.cross)(tape, query, encoded, target.offsets, batch.source.offsets),
                    layer.cross_norm);
    }
    stream.output(layer.ffn(tape, stream.input(layer.ffn_norm)), layer.ffn_norm);
  }
  return stream.end(decoder_norm_);
}

Variable LightConv::features(Tape& tape, const Batch& batch) const {
  const Variable encoded = has_source() ? encode(tape, batch.source) : Variable();
  return decode(tape, batch, encoded, nullptr);
}

Tensor LightConv::alignment(const Batch& batch) const {
  Tape tape = inference_tape();
  const Variable encoded = encode(tape, batch.source);
  Variable query;
  decode(tape, batch, encoded, &query);
  return decoder_.back().cross->weights(tape, query, encoded, batch.target_input.offsets,
                                        batch.source.offsets);
}

double LightConv::training_flops(const Batch& batch) const {
  const auto source = static_cast<double>(batch.source.tokens.size());
  const auto target = static_cast<double>(batch.target.tokens.size());
  const auto width = static_cast<double>(options_.width);
  const double gated = options_.activation.find("glu") == std::string::npos ? 2 : 3;
  const double ffn = gated * width * static_cast<double>(options_.ffn);
  double products = words_.output_multiply_adds(batch.target.tokens);
  for (const Layer& layer : encoder_) {
    products += source * (static_cast<double>(layer.convolution.weights()) + ffn);
  }
  for (const Layer& layer : decoder_) {
    products += target * (static_cast<double>(layer.convolution.weights()) + ffn);
    if (layer.cross) products += (2 * target + 2 * source) * width * width;
  }
  // Attention: two products over the pairs of tokens.
  double pairs = 0;
  for (size_t s = 0; s < batch.source.sentences(); ++s) {
    pairs += static_cast<double>(batch.source.sentence(s).size() * batch.target.sentence(s).size());
  }
  return 6 * (products + 2 * static_cast<double>(decoder_.size()) * pairs * width);
}

}  // namespace skein
