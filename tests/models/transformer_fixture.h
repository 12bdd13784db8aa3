// Transformers of shared/fixtures as models of ours.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/adaptive_reference.h"
#include "models/fixture_batch.h"
#include "skein/models/transformer.h"

namespace skein {

inline TransformerOptions fixture_options(const Fixture& fixture) {
  const nlohmann::json& hyper = fixture.meta.at("hyper");
  return {.encoder_layers = hyper.at("encoder_layers"),
          .decoder_layers = hyper.at("decoder_layers"),
          .width = hyper.at("embed_dim"),
          .ffn = hyper.at("ffn_dim"),
          .heads = hyper.at("heads"),
          .norm = hyper.at("encoder_normalize_before").get<bool>() ? "pre" : "post",
          .positions = hyper.at("encoder_learned_pos").get<bool>() ? "learned" : "sinusoidal",
          .share_embeddings = hyper.at("share_all_embeddings").get<bool>()               ? "all"
                              : hyper.at("share_decoder_input_output_embed").get<bool>() ? "output"
                                                                                         : "none",
          .max_positions = hyper.at("max_positions"),
          .dropout = 0};
}

// The names of the reference's parameters that are stacked, in order, in one of ours. `kind` is
// "param." or "grad.".
inline std::vector<std::string> reference_names(std::string name, const std::string& kind) {
  if (const auto adaptive = adaptive_reference_name(name)) return {kind + *adaptive};
  const auto replace = [&name](const std::string& from, const std::string& to) {
    const size_t at = name.find(from);
    if (at == std::string::npos) return false;
    name.replace(at, from.size(), to);
    return true;
  };
  const bool encoder = name.starts_with("encoder.");
  if (name == "embedding.weight") name = "encoder.embed_tokens.weight";
  if (name == "output.weight") name = "decoder.output_projection.weight";
  replace(".embedding.", ".embed_tokens.");
  replace(".positions.", ".embed_positions.");
  if (!replace(".attention_norm.", ".self_attn_layer_norm.") &&
      !replace(".cross_norm.", ".encoder_attn_layer_norm.") &&
      !replace(".ffn_norm.", ".final_layer_norm.")) {
    replace(encoder ? "encoder.norm." : "decoder.norm.",
            encoder ? "encoder.layer_norm." : "decoder.layer_norm.");
  }
  replace(".attention.", ".self_attn.");
  replace(".cross.", ".encoder_attn.");
  replace(".ffn.in.", ".fc1.");
  replace(".ffn.out.", ".fc2.");
  replace("attn.out.", "attn.out_proj.");
  replace("attn.query.", "attn.q_proj.");
  std::vector<std::string> parts = {name};
  const auto stack = [&](const std::string& ours, std::vector<std::string> theirs) {
    const size_t at = name.find(ours);
    if (at == std::string::npos) return;
    parts.clear();
    for (const std::string& each : theirs)
      parts.push_back(std::string(name).replace(at, ours.size(), each));
  };
  stack(".qkv.", {".q_proj.", ".k_proj.", ".v_proj."});
  stack(".key_value.", {".k_proj.", ".v_proj."});
  for (std::string& part : parts) part = kind + part;
  return parts;
}

inline std::vector<float> reference_values(const Fixture& fixture, const std::string& name,
                                           const std::string& kind) {
  std::vector<float> all;
  for (const std::string& part : reference_names(name, kind)) {
    const std::vector<float> values = fixture.floats(part);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

inline void load_transformer_parameters(const Fixture& fixture, Transformer& model) {
  model.parameters().allocate({.half = false, .gradients = true});
  for (const Parameter& each : model.parameters().parameters()) {
    const std::vector<float> values = reference_values(fixture, each.name, "param.");
    Tensor target = each.variable.value();
    if (values.size() != target.values<float>().size()) throw std::runtime_error(each.name);
    std::copy(values.begin(), values.end(), target.data<float>());
  }
}

inline std::unique_ptr<Transformer> fixture_model(const Fixture& fixture) {
  const TransformerOptions options = fixture_options(fixture);
  const nlohmann::json& hyper = fixture.meta.at("hyper");
  auto model = std::make_unique<Transformer>(
      options, VocabularySizes{.source = hyper.at("source_vocab"),
                               .target = hyper.at("target_vocab"),
                               .shared = options.share_embeddings == "all"});
  load_transformer_parameters(fixture, *model);
  return model;
}

// Decoder-only, with adaptive input and softmax.
inline std::unique_ptr<Transformer> fixture_language_model(const Fixture& fixture) {
  const nlohmann::json& hyper = fixture.meta.at("hyper");
  const auto vocabulary = hyper.at("vocab").get<int64_t>();
  auto ends = hyper.at("adaptive_softmax_cutoff").get<std::vector<int64_t>>();
  ends.push_back(vocabulary);
  const TransformerOptions options{
      .encoder_layers = 0,
      .decoder_layers = hyper.at("decoder_layers"),
      .width = hyper.at("embed_dim"),
      .ffn = hyper.at("ffn_dim"),
      .heads = hyper.at("heads"),
      .norm = "pre",
      .share_embeddings = hyper.at("tie_adaptive_weights").get<bool>() ? "output" : "none",
      .bands = WordBands(ends),
      .adaptive_input = true,
      .adaptive_factor = hyper.at("adaptive_softmax_factor"),
      .dropout = 0};
  auto model =
      std::make_unique<Transformer>(options, VocabularySizes{.source = 0, .target = vocabulary});
  load_transformer_parameters(fixture, *model);
  return model;
}

}  // namespace skein
