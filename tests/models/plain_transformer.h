// The Transformer once more, in double precision and whole sentences, from the equations of Vaswani
// et al. 2017 (post-norm) and Xiong et al. 2020 (pre-norm); no code of skein/nn or skein/models.
#pragma once

#include <cmath>
#include <map>
#include <string>

#include "models/plain_adaptive.h"
#include "plain_functions.h"
#include "skein/autograd/tape.h"
#include "skein/data/batch.h"
#include "skein/models/transformer.h"

namespace skein {

class PlainTransformer {
 public:
  using Parameters = std::map<std::string, plain::Matrix>;

  PlainTransformer(TransformerOptions options, Parameters parameters)
      : options_(std::move(options)), parameters_(std::move(parameters)) {}

  Parameters& parameters() { return parameters_; }

  // [target tokens, width]. Dropout masks are drawn from `masks` in the order of the equations.
  plain::Matrix features(Tape& masks, const Batch& batch) const {
    plain::Matrix encoded;
    if (options_.encoder_layers > 0) {
      encoded = stack(masks, batch.source, "encoder.", options_.encoder_layers, {}, {});
    }
    return stack(masks, batch.target_input, "decoder.", options_.decoder_layers, encoded,
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
    return plain::cross_entropy(plain::linear(x, output()), batch.target.tokens, smoothing);
  }

  const plain::Matrix& output() const {
    return options_.share_embeddings == "none" ? parameters_.at("output.weight")
                                               : embedding("decoder.");
  }

 private:
  bool pre_norm() const { return options_.norm == "pre"; }

  const plain::Matrix& embedding(const std::string& side) const {
    const bool shared = options_.share_embeddings == "all" && options_.encoder_layers > 0;
    return parameters_.at(shared ? "embedding.weight" : side + "embedding.weight");
  }

  // The first token has position 2.
  plain::Matrix position(const std::string& side, int64_t row) const {
    if (options_.positions == "learned") {
      const plain::Matrix& table = parameters_.at(side + "positions.weight");
      plain::Matrix result(1, options_.width);
      for (int64_t c = 0; c < options_.width; ++c) result(0, c) = table(row, c);
      return result;
    }
    plain::Matrix result(1, options_.width);
    const int64_t half = options_.width / 2;
    for (int64_t j = 0; j < half; ++j) {
      const double exponent = half > 1 ? static_cast<double>(j) / static_cast<double>(half - 1) : 0;
      const double angle = static_cast<double>(row) / std::pow(10000.0, exponent);
      result(0, j) = std::sin(angle);
      result(0, half + j) = std::cos(angle);
    }
    return result;
  }

  plain::Matrix embed(const PackedSequences& sentences, const std::string& side) const {
    plain::Matrix x(static_cast<int64_t>(sentences.tokens.size()), options_.width);
    const plain::Matrix words =
        options_.adaptive_input
            ? plain::adaptive_input(parameters_, *options_.bands, sentences.tokens, options_.width)
            : plain::select_rows(embedding(side), sentences.tokens);
    for (size_t s = 0; s < sentences.sentences(); ++s) {
      for (int32_t t = sentences.offsets[s]; t < sentences.offsets[s + 1]; ++t) {
        const plain::Matrix place = position(side, t - sentences.offsets[s] + 2);
        for (int64_t c = 0; c < options_.width; ++c) {
          x(t, c) = std::sqrt(static_cast<double>(options_.width)) * words(t, c) + place(0, c);
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

  plain::Matrix attend(Tape& masks, const std::string& name, const plain::Matrix& queries,
                       const plain::Matrix& keys_values, plain::Attention attention) const {
    const int64_t width = options_.width;
    attention.heads = options_.heads;
    attention.dropout = masks.next_dropout(options_.attention_dropout);
    return linear(name + ".out",
                  plain::attention(attention, queries, plain::columns(keys_values, 0, width),
                                   plain::columns(keys_values, width, width)));
  }

  plain::Matrix self_attention(Tape& masks, const std::string& name, const plain::Matrix& x,
                               std::span<const int32_t> offsets, bool causal) const {
    const plain::Matrix qkv = linear(name + ".qkv", x);
    return attend(masks, name, plain::columns(qkv, 0, options_.width),
                  plain::columns(qkv, options_.width, 2 * options_.width),
                  {.query_offsets = offsets, .key_offsets = offsets, .causal = causal});
  }

  plain::Matrix feed_forward(Tape& masks, const std::string& name, const plain::Matrix& x) const {
    const std::string& kind = options_.activation;
    plain::Matrix hidden = linear(name + ".in", x);
    if (kind == "relu") hidden = plain::activation(kernels::Activation::kRelu, hidden);
    if (kind == "gelu") hidden = plain::activation(kernels::Activation::kGelu, hidden);
    if (kind == "silu") hidden = plain::activation(kernels::Activation::kSilu, hidden);
    if (kind == "glu") hidden = plain::glu(kernels::Gate::kSigmoid, hidden);
    if (kind == "geglu") hidden = plain::glu(kernels::Gate::kGelu, hidden);
    if (kind == "swiglu") hidden = plain::glu(kernels::Gate::kSilu, hidden);
    return linear(name + ".out",
                  plain::dropout(masks.next_dropout(options_.activation_dropout), hidden));
  }

  // x + f(x), normalised before f or after the sum.
  template <typename Function>
  plain::Matrix sub_layer(Tape& masks, const std::string& norm_name, const plain::Matrix& x,
                          const Function& function) const {
    const plain::Matrix y = function(pre_norm() ? norm(norm_name, x) : x);
    const plain::Matrix sum =
        plain::add(plain::dropout(masks.next_dropout(options_.dropout), y), x);
    return pre_norm() ? sum : norm(norm_name, sum);
  }

  plain::Matrix stack(Tape& masks, const PackedSequences& sentences, const std::string& side,
                      int64_t layers, const plain::Matrix& encoded,
                      std::span<const int32_t> source_offsets) const {
    const std::span<const int32_t> offsets = sentences.offsets;
    const bool decoder = side == "decoder.";
    plain::Matrix x = plain::dropout(masks.next_dropout(options_.dropout), embed(sentences, side));
    for (int64_t i = 0; i < layers; ++i) {
      const std::string name = side + "layers." + std::to_string(i) + ".";
      x = sub_layer(masks, name + "attention_norm", x, [&](const plain::Matrix& in) {
        return self_attention(masks, name + "attention", in, offsets, decoder);
      });
      if (decoder && options_.encoder_layers > 0) {
        x = sub_layer(masks, name + "cross_norm", x, [&](const plain::Matrix& in) {
          return attend(masks, name + "cross", linear(name + "cross.query", in),
                        linear(name + "cross.key_value", encoded),
                        {.query_offsets = offsets, .key_offsets = source_offsets});
        });
      }
      x = sub_layer(masks, name + "ffn_norm", x,
                    [&](const plain::Matrix& in) { return feed_forward(masks, name + "ffn", in); });
    }
    const bool last_norm = pre_norm() && (!decoder || options_.final_norm);
    return last_norm ? norm(side + "norm", x) : x;
  }

  TransformerOptions options_;
  Parameters parameters_;
};

}  // namespace skein
