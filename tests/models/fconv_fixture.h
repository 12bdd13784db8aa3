// Convolutional models of shared/fixtures as models of ours.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/adaptive_reference.h"
#include "models/fixture_batch.h"
#include "skein/models/fconv.h"
#include "skein/models/fconv_lm.h"

namespace skein {

inline std::vector<ConvolutionLayer> fixture_layers(const nlohmann::json& layers) {
  std::vector<ConvolutionLayer> result;
  for (const nlohmann::json& layer : layers) {
    result.push_back({.width = layer.at(0), .kernel = layer.at(1)});
    if (layer.size() > 2) result.back().residual = layer.at(2);
  }
  return result;
}

// The reference's name of our parameter.
inline std::string fconv_reference_name(std::string name) {
  if (const auto adaptive = adaptive_reference_name(name)) return *adaptive;
  const auto replace = [&name](const std::string& from, const std::string& to) {
    const size_t at = name.find(from);
    if (at != std::string::npos) name.replace(at, from.size(), to);
  };
  // "decoder.layers.2.convolution.bias" is "decoder.convolutions.2.bias" there.
  const size_t layers = name.find("layers.");
  if (layers != std::string::npos) {
    const size_t number = layers + 7, part = name.find('.', number) + 1;
    const size_t rest = name.find('.', part);
    std::string kind = name.substr(part, rest - part);
    if (kind != "attention") kind += "s";
    name = name.substr(0, layers) + kind + "." + name.substr(number, part - number) +
           name.substr(rest + 1);
    replace(".query.", ".in_projection.");
    if (kind == "attention") replace(".out.", ".out_projection.");
  }
  replace("output.", "decoder.fc3.");
  replace(".embedding.", ".embed_tokens.");
  replace(".positions.", ".embed_positions.");
  replace("coder.in.", "coder.fc1.");
  replace("coder.out.", "coder.fc2.");
  return name;
}

// `kind`: "param." or "grad.". The reference has [kernel, in, out] where we have [out, kernel *
// in].
inline std::vector<float> fconv_reference_values(const Fixture& fixture, const std::string& name,
                                                 const std::string& kind) {
  const std::string reference = kind + fconv_reference_name(name);
  const std::vector<float> values = fixture.floats(reference);
  if (!name.ends_with("convolution.weight_v")) return values;
  const std::vector<int64_t> shape = fixture.shape(reference);
  const auto rows = static_cast<size_t>(shape[0] * shape[1]);
  const auto outputs = static_cast<size_t>(shape[2]);
  std::vector<float> transposed(values.size());
  for (size_t r = 0; r < rows; ++r) {
    for (size_t o = 0; o < outputs; ++o) transposed[o * rows + r] = values[r * outputs + o];
  }
  return transposed;
}

inline void load_fconv_parameters(const Fixture& fixture, Model& model) {
  model.parameters().allocate({.half = false, .gradients = true});
  for (const Parameter& each : model.parameters().parameters()) {
    const std::vector<float> values = fconv_reference_values(fixture, each.name, "param.");
    Tensor target = each.variable.value();
    if (values.size() != target.values<float>().size()) throw std::runtime_error(each.name);
    std::copy(values.begin(), values.end(), target.data<float>());
  }
}

inline std::unique_ptr<FConv> fixture_fconv(const Fixture& fixture) {
  const nlohmann::json& hyper = fixture.meta.at("hyper");
  FConvOptions options{.encoder_layers = fixture_layers(hyper.at("encoder_layers")),
                       .decoder_layers = fixture_layers(hyper.at("decoder_layers")),
                       .attention = {},
                       .embedding = hyper.at("embed_dim"),
                       .features = hyper.at("out_embed_dim"),
                       .positions = hyper.at("positional_embeddings"),
                       .share_output = hyper.at("share_input_output_embed"),
                       // Two rows of their table are not for tokens.
                       .max_positions = hyper.at("max_positions_table_rows").get<int64_t>() - 2,
                       .dropout = 0};
  for (const bool each : hyper.at("decoder_attention")) options.attention.push_back(each);
  auto model = std::make_unique<FConv>(
      options,
      VocabularySizes{.source = hyper.at("source_vocab"), .target = hyper.at("target_vocab")});
  load_fconv_parameters(fixture, *model);
  return model;
}

inline std::unique_ptr<FConvLm> fixture_fconv_lm(const Fixture& fixture) {
  const nlohmann::json& hyper = fixture.meta.at("hyper");
  const auto vocabulary = hyper.at("vocab").get<int64_t>();
  FConvLmOptions options{.layers = fixture_layers(hyper.at("decoder_layers")),
                         .embedding = hyper.at("embed_dim"),
                         .features = hyper.value("out_embed_dim", int64_t{0}),
                         .dropout = 0};
  if (!hyper.at("adaptive_softmax_cutoff").is_null()) {
    auto ends = hyper.at("adaptive_softmax_cutoff").get<std::vector<int64_t>>();
    ends.push_back(vocabulary);
    options.bands = WordBands(ends);
    options.adaptive_factor = hyper.at("adaptive_softmax_factor");
  }
  auto model = std::make_unique<FConvLm>(options, vocabulary);
  load_fconv_parameters(fixture, *model);
  return model;
}

}  // namespace skein
