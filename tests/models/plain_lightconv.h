// LightConv and DynamicConv once more, in double precision, from Wu et al. 2019; no code of
// skein/nn or skein/models.
#pragma once

#include <map>
#include <string>

#include "models/plain_adaptive.h"
#include "plain_light_convolution.h"
#include "skein/autograd/tape.h"
#include "skein/data/batch.h"
#include "skein/models/lightconv.h"

namespace skein {

class PlainLightConv {
 public:
  using Parameters = std::map<std::string, plain::Matrix>;

  PlainLightConv(LightConvOptions options, Parameters parameters)
      : options_(std::move(options)), parameters_(std::move(parameters)) {}

  Parameters& parameters() { return parameters_; }

  // [target tokens, width]. Dropout masks are drawn from `masks` in the order of the equations.
  plain::Matrix features(Tape& masks, const Batch& batch) const {
    plain::Matrix encoded;
    if (!options_.encoder_kernels.empty()) {
      encoded = stack(masks, batch.source, "encoder.", options_.encoder_kernels, {}, {});
    }
    return stack(masks, batch.target_input, "decoder.", options_.decoder_kernels, encoded,
                 batch.source.offsets);
  }

  // Summed over the batch; an adaptive softmax is not smoothed.
  plain::CrossEntropy loss(Tape& masks, const Batch& batch, double smoothing) const {
    const plain::Matrix x = features(masks, batch);
    if (options_.bands) {
      const bool tied = options_.adaptive_input && options_.share_embeddings != "none";
      const double sum = plain::adaptive_softmax(parameters_, *options_.bands, tied)
                             .loss(x, batch.target.tokens,
                                   [&] { return masks.next_dropout(options_.adaptive_dropout); });
      return {.smoothed = sum, .plain = sum};
    }
    const plain::Matrix& output = options_.share_embeddings == "none"
                                      ? parameters_.at("output.weight")
                                      : embedding("decoder.");
    return plain::cross_entropy(plain::linear(x, output), batch.target.tokens, smoothing);
  }

 private:
  const plain::Matrix& embedding(const std::string& side) const {
    const bool shared = options_.share_embeddings == "all" && !options_.encoder_kernels.empty();
    return parameters_.at(shared ? "embedding.weight" : side + "embedding.weight");
  }

  // The first token has position 2.
  double position(const std::string& side, int64_t row, int64_t column) const {
    if (options_.positions == "learned") {
      return parameters_.at(side + "positions.weight")(row, column);
    }
    const int64_t half = options_.width / 2;
    if (column >= 2 * half) return 0;
    const auto j = static_cast<double>(column % half);
    const double angle = static_cast<double>(row) /
                         std::pow(10000.0, half > 1 ? j / static_cast<double>(half - 1) : 0);
    return column < half ? std::sin(angle) : std::cos(angle);
  }

  plain::Matrix embed(const PackedSequences& sentences, const std::string& side) const {
    plain::Matrix x(static_cast<int64_t>(sentences.tokens.size()), options_.width);
    const plain::Matrix words =
        options_.adaptive_input
            ? plain::adaptive_input(parameters_, *options_.bands, sentences.tokens, options_.width)
            : plain::select_rows(embedding(side), sentences.tokens);
    const double scale = std::sqrt(static_cast<double>(options_.width));
    for (size_t s = 0; s < sentences.sentences(); ++s) {
      for (int32_t t = sentences.offsets[s]; t < sentences.offsets[s + 1]; ++t) {
        for (int64_t c = 0; c < options_.width; ++c) {
          x(t, c) = scale * words(t, c) + position(side, t - sentences.offsets[s] + 2, c);
        }
      }
    }
    return x;
  }

  plain::Matrix linear(const std::string& name, const plain::Matrix& x) const {
    return plain::linear(x, parameters_.at(name + ".weight"), parameters_.at(name + ".bias"));
  }

  plain::Matrix norm(const std::string& name, const plain::Matrix& x) const {
    return plain::layer_norm(x, parameters_.at(name + ".weight"), parameters_.at(name + ".bias"));
  }

  plain::Matrix dropped(Tape& masks, double probability, const plain::Matrix& x) const {
    return plain::dropout(masks.next_dropout(probability), x);
  }

  plain::Matrix convolve(Tape& masks, const std::string& name, const plain::Matrix& input,
                         std::span<const int32_t> offsets, int64_t kernel, bool causal) const {
    plain::Matrix x = linear(name + ".in", dropped(masks, options_.input_dropout, input));
    if (options_.glu) x = plain::glu(kernels::Gate::kSigmoid, x);
    plain::Matrix scores = parameters_.at(name + ".kernel.weight");
    if (options_.kind == "dynamic") {
      scores = plain::linear(x, scores);
    } else {
      scores = {1, options_.heads * kernel, scores.values};
    }
    if (options_.softmax) scores = plain::tap_softmax(kernel, scores);
    scores = dropped(masks, options_.weight_dropout, scores);
    const int64_t left = causal ? kernel - 1 : (kernel - 1) / 2;
    return linear(name + ".out",
                  plain::light_convolution({offsets, kernel, left, options_.heads}, scores, x));
  }

  plain::Matrix attend(Tape& masks, const std::string& name, const plain::Matrix& x,
                       const plain::Matrix& encoded, plain::Attention attention) const {
    attention.heads = options_.heads;
    attention.dropout = masks.next_dropout(options_.attention_dropout);
    const plain::Matrix memory = linear(name + ".key_value", encoded);
    return linear(name + ".out",
                  plain::attention(attention, linear(name + ".query", x),
                                   plain::columns(memory, 0, options_.width),
                                   plain::columns(memory, options_.width, options_.width)));
  }

  plain::Matrix feed_forward(Tape& masks, const std::string& name, const plain::Matrix& x) const {
    const plain::Matrix hidden =
        plain::activation(kernels::Activation::kRelu, linear(name + ".in", x));
    return linear(name + ".out", dropped(masks, options_.activation_dropout, hidden));
  }

  // x + f(x), normalised before f or after the sum.
  template <typename Function>
  plain::Matrix sub_layer(Tape& masks, const std::string& norm_name, const plain::Matrix& x,
                          const Function& function) const {
    const bool pre = options_.norm == "pre";
    const plain::Matrix y = function(pre ? norm(norm_name, x) : x);
    const plain::Matrix sum = plain::add(dropped(masks, options_.dropout, y), x);
    return pre ? sum : norm(norm_name, sum);
  }

  plain::Matrix stack(Tape& masks, const PackedSequences& sentences, const std::string& side,
                      const std::vector<int64_t>& kernels, const plain::Matrix& encoded,
                      std::span<const int32_t> source_offsets) const {
    const std::span<const int32_t> offsets = sentences.offsets;
    const bool decoder = side == "decoder.";
    plain::Matrix x = dropped(masks, options_.dropout, embed(sentences, side));
    for (size_t i = 0; i < kernels.size(); ++i) {
      const std::string name = side + "layers." + std::to_string(i) + ".";
      x = sub_layer(masks, name + "convolution_norm", x, [&](const plain::Matrix& in) {
        return convolve(masks, name + "convolution", in, offsets, kernels[i], decoder);
      });
      if (decoder && !options_.encoder_kernels.empty()) {
        x = sub_layer(masks, name + "cross_norm", x, [&](const plain::Matrix& in) {
          return attend(masks, name + "cross", in, encoded,
                        {.query_offsets = offsets, .key_offsets = source_offsets});
        });
      }
      x = sub_layer(masks, name + "ffn_norm", x,
                    [&](const plain::Matrix& in) { return feed_forward(masks, name + "ffn", in); });
    }
    return options_.norm == "pre" ? norm(side + "norm", x) : x;
  }

  LightConvOptions options_;
  Parameters parameters_;
};

}  // namespace skein
