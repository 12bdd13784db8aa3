#include "skein/models/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "skein/base/error.h"
#include "skein/nn/positions.h"

namespace skein {

Transformer::Transformer(const TransformerOptions& options, const VocabularySizes& vocabulary)
    : options_(options),
      words_(parameters_,
             {.embedding = {.width = options.width,
                            .learned_positions = options.positions == "learned",
                            .max_positions = options.max_positions,
                            .dropout = options.dropout},
              .has_source = options.encoder_layers > 0,
              .share = options.share_embeddings,
              .bands = options.bands,
              .adaptive_input = options.adaptive_input,
              .adaptive_factor = options.adaptive_factor,
              .adaptive_dropout = options.adaptive_dropout},
             vocabulary) {
  add_layers();
}

MultiHeadOptions Transformer::attention_options() const {
  return {.width = options_.width, .heads = options_.heads, .dropout = options_.attention_dropout};
}

FeedForwardOptions Transformer::ffn_options() const {
  return {.width = options_.width,
          .inner = options_.ffn,
          .activation = options_.activation,
          .dropout = options_.activation_dropout};
}

ResidualStream::Options Transformer::stream_options() const {
  return {.pre_norm = pre_norm(), .dropout = options_.dropout};
}

void Transformer::add_layers() {
  const int64_t width = options_.width;
  for (int64_t i = 0; i < options_.encoder_layers; ++i) {
    const std::string name = fmt::format("encoder.layers.{}.", i);
    encoder_.push_back({SelfAttention(parameters_, name + "attention", attention_options()),
                        make_layer_norm(parameters_, name + "attention_norm", width),
                        FeedForward(parameters_, name + "ffn", ffn_options()),
                        make_layer_norm(parameters_, name + "ffn_norm", width)});
  }
  for (int64_t i = 0; i < options_.decoder_layers; ++i) {
    const std::string name = fmt::format("decoder.layers.{}.", i);
    SelfAttention attention(parameters_, name + "attention", attention_options());
    const NormParameters attention_norm =
        make_layer_norm(parameters_, name + "attention_norm", width);
    std::optional<CrossAttention> cross;
    NormParameters cross_norm;
    if (has_source()) {
      cross.emplace(parameters_, name + "cross", attention_options());
      cross_norm = make_layer_norm(parameters_, name + "cross_norm", width);
    }
    decoder_.push_back({attention, attention_norm, cross, cross_norm,
                        FeedForward(parameters_, name + "ffn", ffn_options()),
                        make_layer_norm(parameters_, name + "ffn_norm", width)});
  }
  if (!pre_norm()) return;
  if (has_source()) encoder_norm_ = make_layer_norm(parameters_, "encoder.norm", width);
  if (options_.final_norm) decoder_norm_ = make_layer_norm(parameters_, "decoder.norm", width);
}

void Transformer::require_source() const {
  if (!has_source()) throw Error("a language model has no source to encode or to align with");
}

Variable Transformer::encode(Tape& tape, const PackedSequences& source) const {
  require_source();
  require_lengths(source, "source", options_.max_positions);
  ResidualStream stream(tape, words_.source()(tape, source.tokens, position_rows(source.offsets)),
                        stream_options());
  for (const EncoderLayer& layer : encoder_) {
    stream.output(layer.attention(tape, stream.input(layer.attention_norm), source.offsets, false),
                  layer.attention_norm);
    stream.output(layer.ffn(tape, stream.input(layer.ffn_norm)), layer.ffn_norm);
  }
  return stream.end(encoder_norm_);
}

Variable Transformer::decode(Tape& tape, const Batch& batch, const Variable& encoded,
                             Variable* last_query) const {
  const PackedSequences& target = batch.target_input;
  require_lengths(target, "target", options_.max_positions);
  ResidualStream stream(tape, words_.target()(tape, target.tokens, position_rows(target.offsets)),
                        stream_options());
  for (const DecoderLayer& layer : decoder_) {
    stream.output(layer.attention(tape, stream.input(layer.attention_norm), target.offsets, true),
                  layer.attention_norm);
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

Variable Transformer::features(Tape& tape, const Batch& batch) const {
  const Variable encoded = has_source() ? encode(tape, batch.source) : Variable();
  return decode(tape, batch, encoded, nullptr);
}

Tensor Transformer::alignment(const Batch& batch) const {
  Tape tape = inference_tape();
  const Variable encoded = encode(tape, batch.source);
  Variable query;
  decode(tape, batch, encoded, &query);
  return decoder_.back().cross->weights(tape, query, encoded, batch.target_input.offsets,
                                        batch.source.offsets);
}

double Transformer::training_flops(const Batch& batch) const {
  const auto source = static_cast<double>(batch.source.tokens.size());
  const auto target = static_cast<double>(batch.target.tokens.size());
  const auto width = static_cast<double>(options_.width);
  const double gated = options_.activation.find("glu") == std::string::npos ? 2 : 3;
  const double ffn = gated * width * static_cast<double>(options_.ffn);
  const auto encoder_layers = static_cast<double>(options_.encoder_layers);
  const auto decoder_layers = static_cast<double>(options_.decoder_layers);
  double products = encoder_layers * source * (4 * width * width + ffn);
  products += decoder_layers * target * (4 * width * width + ffn);
  if (has_source()) products += decoder_layers * (2 * target + 2 * source) * width * width;
  products += words_.output_multiply_adds(batch.target.tokens);
  // Attention: two products over the visible pairs of tokens.
  double pairs = 0;
  for (size_t s = 0; s < batch.target.sentences(); ++s) {
    const auto t = static_cast<double>(batch.target.sentence(s).size());
    const double n = has_source() ? static_cast<double>(batch.source.sentence(s).size()) : 0;
    pairs += encoder_layers * n * n + decoder_layers * (t * (t + 1) / 2 + t * n);
  }
  return 6 * (products + 2 * pairs * width);
}

}  // namespace skein
