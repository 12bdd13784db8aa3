// ConvS2S once more, in double precision, from Gehring et al. 2017.
#pragma once

#include <algorithm>
#include <string>

#include "models/plain_gated_convolutions.h"
#include "skein/models/fconv.h"

namespace skein {

class PlainFConv {
 public:
  PlainFConv(FConvOptions options, plain::Parameters parameters)
      : options_(std::move(options)), parameters_(std::move(parameters)) {}

  plain::Parameters& parameters() { return parameters_; }

  // [target tokens, features]. Dropout masks are drawn from `masks` in the order of the equations.
  plain::Matrix features(Tape& masks, const Batch& batch) {
    const plain::Matrix source = embed(masks, "encoder.", batch.source);
    plain::Matrix keys = stack("encoder.", options_.encoder_layers, false)
                             .run(masks, batch.source.offsets, linear("encoder.in", source));
    keys = slowed(linear("encoder.out", keys));
    const plain::Matrix values = plain::scale(plain::kRootOfHalf, plain::add(keys, source));
    const plain::Matrix target = embed(masks, "decoder.", batch.target_input);
    plain::GatedStack decoder = stack("decoder.", options_.decoder_layers, true);
    decoder.attend = [&](size_t layer, const plain::Matrix& x) {
      if (!options_.attention[layer]) return x;
      return attend(layer, x, target, batch, keys, values);
    };
    plain::Matrix x = decoder.run(masks, batch.target_input.offsets, linear("decoder.in", target));
    x = linear("decoder.out", x);
    return plain::dropout(masks.next_dropout(options_.dropout), x);
  }

  // Summed over the batch.
  plain::CrossEntropy loss(Tape& masks, const Batch& batch, double smoothing) {
    const plain::Matrix x = features(masks, batch);
    const plain::Matrix logits = options_.share_output
                                     ? plain::linear(x, parameters_.at("decoder.embedding.weight"),
                                                     parameters_.at("output.bias"))
                                     : linear("output", x);
    return plain::cross_entropy(logits, batch.target.tokens, smoothing);
  }

  // From the next features() on, keys move with the parameters by 1 / (2 attention layers) of what
  // they would: differences of the loss are then what the scaled gradient says.
  void slow_keys() { slow_ = true; }

 private:
  plain::GatedStack stack(const std::string& side, const std::vector<ConvolutionLayer>& layers,
                          bool causal) const {
    return {.parameters = parameters_,
            .side = side,
            .layers = layers,
            .causal = causal,
            .dropout = options_.dropout,
            .attend = nullptr};
  }

  plain::Matrix linear(const std::string& name, const plain::Matrix& x) const {
    return plain::normed_linear(parameters_, name, x);
  }

  plain::Matrix embed(Tape& masks, const std::string& side,
                      const PackedSequences& sentences) const {
    return plain::dropout(masks.next_dropout(options_.dropout),
                          plain::embed_with_positions(parameters_, side, sentences));
  }

  plain::Matrix slowed(plain::Matrix keys) {
    if (!slow_) return keys;
    if (centre_.values.empty()) centre_ = keys;
    const auto layers = std::ranges::count(options_.attention, true);
    const double factor = 1 / (2 * static_cast<double>(layers));
    for (size_t i = 0; i < keys.values.size(); ++i) {
      keys.values[i] = centre_.values[i] + factor * (keys.values[i] - centre_.values[i]);
    }
    return keys;
  }

  plain::Matrix attend(size_t layer, const plain::Matrix& x, const plain::Matrix& target,
                       const Batch& batch, const plain::Matrix& keys,
                       const plain::Matrix& values) const {
    const std::string name = "decoder.layers." + std::to_string(layer) + ".attention.";
    const plain::Matrix query =
        plain::scale(plain::kRootOfHalf, plain::add(linear(name + "query", x), target));
    plain::Matrix found = plain::attention({.query_offsets = batch.target_input.offsets,
                                            .key_offsets = batch.source.offsets,
                                            .scale = 1},
                                           query, keys, values);
    for (size_t s = 0; s < batch.source.sentences(); ++s) {
      const double root = std::sqrt(static_cast<double>(batch.source.sentence(s).size()));
      for (int32_t t = batch.target_input.offsets[s]; t < batch.target_input.offsets[s + 1]; ++t) {
        for (int64_t c = 0; c < found.columns; ++c) found(t, c) *= root;
      }
    }
    return plain::scale(plain::kRootOfHalf, plain::add(linear(name + "out", found), x));
  }

  FConvOptions options_;
  plain::Parameters parameters_;
  bool slow_ = false;
  plain::Matrix centre_;
};

}  // namespace skein
