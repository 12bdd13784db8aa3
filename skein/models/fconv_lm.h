// The gated convolutional language model (Dauphin et al. 2016): the decoder of ConvS2S without
// positions and attention.
#pragma once

#include <optional>
#include <vector>

#include "skein/models/registry.h"
#include "skein/nn/adaptive_softmax.h"
#include "skein/nn/gated_convolution.h"

namespace skein {

struct FConvLmOptions {
  std::vector<ConvolutionLayer> layers;
  int64_t embedding = 128;
  int64_t features = 128;  // between the layers and a softmax over all words
  // The bands of an adaptive softmax, which reads the last layer itself.
  std::optional<WordBands> bands = std::nullopt;
  double adaptive_factor = 4;
  double adaptive_dropout = 0;
  int64_t max_positions = 1024;  // the longest sentence; no parameter depends on it
  double dropout = 0.1;
};

class FConvLm : public Model {
 public:
  FConvLm(const FConvLmOptions& options, int64_t vocabulary);

  bool has_source() const override { return false; }
  int64_t max_source_length() const override { return options_.max_positions; }
  int64_t max_target_length() const override { return options_.max_positions; }
  int64_t vocabulary() const override { return embedding_.shape()[0]; }

  Variable features(Tape& tape, const Batch& batch) const override;
  OutputProjection output(Tape& tape) const override { return output_of(tape, decoder_); }
  std::unique_ptr<DecodeState> start(const PackedSequences& source,
                                     int64_t sentences) const override;
  Tensor step(DecodeState& state, std::span<const int32_t> previous) const override;
  void read_part(DecodeState& state, std::span<const int32_t> tokens, int64_t count) const override;
  double training_flops(const Batch& batch) const override;

 private:
  struct Decoder {
    NormedLinear in;
    std::vector<GatedConvolution> layers;
    // Before a softmax over all words.
    std::optional<NormedLinear> out;
    std::optional<NormedLinear> output;
    Decoder folded(Tape& tape) const;
  };
  struct State;

  // `count` tokens more of every row → [rows * count, width] of the last layer.
  Variable advance(Tape& tape, State& state, std::span<const int32_t> tokens, int64_t count) const;

  Decoder make_decoder(int64_t words);
  OutputProjection output_of(Tape& tape, const Decoder& decoder) const;
  Variable embed_tokens(Tape& tape, std::span<const int32_t> ids) const;

  FConvLmOptions options_;
  Variable embedding_;  // [words, embedding]
  Decoder decoder_;
  std::optional<AdaptiveSoftmax> adaptive_;
};

}  // namespace skein
