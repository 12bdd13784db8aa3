// LightConv and DynamicConv (Wu et al. 2019): Transformers whose self-attention is a convolution
// with a few weights, the same for every token or made from the token itself. Encoder-decoder or
// decoder-only, post-norm or pre-norm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "skein/models/registry.h"
#include "skein/models/word_tables.h"
#include "skein/nn/attention.h"
#include "skein/nn/feed_forward.h"
#include "skein/nn/light_convolution.h"
#include "skein/nn/residual_stream.h"

namespace skein {

struct LightConvOptions {
  std::string kind = "light";  // "light", "dynamic"
  // Tokens of the windows, one a layer. No encoder: a language model.
  std::vector<int64_t> encoder_kernels;
  std::vector<int64_t> decoder_kernels;
  int64_t width = 512;
  int64_t ffn = 2048;
  int64_t heads = 8;  // of convolutions and attention
  bool glu = true;
  bool softmax = true;                   // over the taps of a head
  std::string norm = "post";             // "post", "pre"
  std::string positions = "sinusoidal";  // "sinusoidal", "learned"
  std::string activation = "relu";       // see FeedForwardOptions
  std::string share_embeddings = "all";  // see WordTableOptions
  std::optional<WordBands> bands = std::nullopt;
  bool adaptive_input = false;
  double adaptive_factor = 4;
  double adaptive_dropout = 0;
  int64_t max_positions = 1024;
  double dropout = 0.1;           // embeddings and sub-layers' outputs
  double input_dropout = 0.1;     // the convolution sub-layers' inputs
  double weight_dropout = 0;      // the convolutions' weights
  double attention_dropout = 0;   // attention probabilities
  double activation_dropout = 0;  // inside the feed-forward layers
};

class LightConv : public Model {
 public:
  LightConv(const LightConvOptions& options, const VocabularySizes& vocabulary);

  bool has_source() const override { return !options_.encoder_kernels.empty(); }
  int64_t max_source_length() const override { return options_.max_positions; }
  int64_t max_target_length() const override { return options_.max_positions; }
  int64_t vocabulary() const override { return words_.vocabulary(); }

  Variable features(Tape& tape, const Batch& batch) const override;
  OutputProjection output(Tape& tape) const override { return words_.output(tape); }
  std::unique_ptr<DecodeState> start(const PackedSequences& source,
                                     int64_t sentences) const override;
  Tensor step(DecodeState& state, std::span<const int32_t> previous) const override;
  void read_part(DecodeState& state, std::span<const int32_t> tokens, int64_t count) const override;
  double training_flops(const Batch& batch) const override;

  // [source tokens, width]. This and alignment() throw Error for a language model.
  Variable encode(Tape& tape, const PackedSequences& source) const;
  bool has_alignment() const override { return has_source(); }
  // Of the last layer, averaged over heads.
  Tensor alignment(const Batch& batch) const override;

 private:
  struct Layer {
    LightConvolution convolution;
    NormParameters convolution_norm;
    std::optional<CrossAttention> cross;
    NormParameters cross_norm;
    FeedForward ffn;
    NormParameters ffn_norm;
  };
  struct State;

  // `count` tokens more of every row → [rows * count, width] of the last layer.
  Variable advance(Tape& tape, State& state, std::span<const int32_t> tokens, int64_t count) const;

  bool pre_norm() const { return options_.norm == "pre"; }
  Layer make_layer(const std::string& name, int64_t kernel, LightConvolution::Sight sight);
  // The input of a layer's convolution.
  Variable convolution_input(Tape& tape, ResidualStream& stream, const Layer& layer) const;
  // The decoder's input to its last cross attention, if `last_query` is given, besides the
  // features.
  Variable decode(Tape& tape, const Batch& batch, const Variable& encoded,
                  Variable* last_query) const;

  LightConvOptions options_;
  WordTables words_;
  std::vector<Layer> encoder_;
  std::vector<Layer> decoder_;
  NormParameters encoder_norm_;  // pre-norm only
  NormParameters decoder_norm_;  // pre-norm only
};

}  // namespace skein
