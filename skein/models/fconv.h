// ConvS2S, convolutional sequence to sequence learning (Gehring et al. 2017): gated convolutions on
// both sides, attention in the decoder's layers.
#pragma once

#include <optional>
#include <vector>

#include "skein/models/registry.h"
#include "skein/nn/gated_convolution.h"
#include "skein/nn/multi_step_attention.h"

namespace skein {

struct FConvOptions {
  std::vector<ConvolutionLayer> encoder_layers;
  std::vector<ConvolutionLayer> decoder_layers;
  std::vector<bool> attention;  // [decoder layers]: which of them attend to the source
  int64_t embedding = 256;      // of both sides
  int64_t features = 256;       // between the decoder and the vocabulary
  bool positions = true;        // learned position embeddings
  bool share_output = false;    // the output weights are the target embedding
  int64_t max_positions = 1024;
  double dropout = 0.1;
};

class FConv : public Model {
 public:
  FConv(const FConvOptions& options, const VocabularySizes& vocabulary);

  bool has_source() const override { return true; }
  int64_t max_source_length() const override { return options_.max_positions; }
  int64_t max_target_length() const override { return options_.max_positions; }
  int64_t vocabulary() const override { return target_embedding_.tokens.shape()[0]; }

  Variable features(Tape& tape, const Batch& batch) const override;
  OutputProjection output(Tape& tape) const override;
  std::unique_ptr<DecodeState> start(const PackedSequences& source,
                                     int64_t sentences) const override;
  Tensor step(DecodeState& state, std::span<const int32_t> previous) const override;
  void read_part(DecodeState& state, std::span<const int32_t> tokens, int64_t count) const override;
  double training_flops(const Batch& batch) const override;

  struct Encoded {
    Variable keys;    // [source tokens, embedding]: what the layers make of each token
    Variable values;  // the same with the token's own embedding
  };
  Encoded encode(Tape& tape, const PackedSequences& source) const;
  bool has_alignment() const override { return true; }
  // Summed over the layers that attend, divided by the number of all decoder layers.
  Tensor alignment(const Batch& batch) const override;

 private:
  struct Encoder {
    NormedLinear in;
    std::vector<GatedConvolution> layers;
    NormedLinear out;
  };
  struct DecoderLayer {
    GatedConvolution convolution;
    std::optional<MultiStepAttention> attention;
  };
  struct Decoder {
    NormedLinear in;
    std::vector<DecoderLayer> layers;
    NormedLinear out;
    std::optional<NormedLinear> output;  // unless it is the embedding
    Decoder folded(Tape& tape) const;
  };
  struct Embedding {
    Variable tokens;
    Variable positions;  // undefined without
  };
  struct State;

  // `count` tokens more of every row → [rows * count, width] of the last layer.
  Variable advance(Tape& tape, State& state, std::span<const int32_t> tokens, int64_t count) const;

  Embedding add_embedding(const std::string& side, int64_t words);
  Encoder make_encoder();
  Decoder make_decoder(int64_t words);
  OutputProjection output_of(Tape& tape, const Decoder& decoder) const;
  Variable embed_tokens(Tape& tape, std::span<const int32_t> ids, std::span<const int32_t> rows,
                        const Embedding& embedding) const;
  // The queries of the layers that attend, if `queries` is given, besides the features.
  Variable decode(Tape& tape, const Batch& batch, const Variable& memory,
                  std::vector<Variable>* queries) const;

  FConvOptions options_;
  int64_t attention_layers_;
  Embedding source_embedding_;
  Encoder encoder_;
  Embedding target_embedding_;
  Decoder decoder_;
  Variable shared_output_bias_;  // [vocabulary], with the embedding as output weights
};

}  // namespace skein
