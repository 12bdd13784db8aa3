// Every registered model, its settings made small enough to test.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/filled_store.h"
#include "skein/models/registry.h"

namespace skein {

using SettingChanges = std::vector<std::pair<std::string, std::string>>;

constexpr int64_t kLongest = 9;

// What makes a family of presets small; the rest stays as the preset has it.
struct ModelFamily {
  std::string prefix;
  SettingChanges changes;
};
inline const ModelFamily* family_of(std::string_view preset) {
  static const SettingChanges light_lm = {{"decoder_kernels", "3 5"},
                                          {"width", "12"},
                                          {"ffn", "10"},
                                          {"heads", "2"},
                                          {"input_dropout", "0"},
                                          {"weight_dropout", "0"},
                                          {"attention_dropout", "0"}};
  static const SettingChanges adaptive_light_lm = [] {
    SettingChanges changes = light_lm;
    changes.insert(changes.end(), {{"cutoffs", "4 9"},
                                   {"adaptive_input", "true"},
                                   {"adaptive_factor", "2"},
                                   {"share_embeddings", "output"}});
    return changes;
  }();
  static const SettingChanges light = [] {
    SettingChanges changes = light_lm;
    changes.emplace_back("encoder_kernels", "3 4");
    return changes;
  }();
  static const std::vector<ModelFamily> families = {
      {"transformer_lm_wiki103",
       {{"decoder_layers", "2"},
        {"width", "12"},
        {"ffn", "10"},
        {"heads", "2"},
        {"cutoffs", "5 9"},
        {"adaptive_factor", "2"}}},
      {"transformer_lm_gbw",
       {{"decoder_layers", "2"},
        {"width", "12"},
        {"ffn", "10"},
        {"heads", "2"},
        {"cutoffs", "4"},
        {"share_embeddings", "none"}}},
      {"transformer_lm", {{"decoder_layers", "2"}, {"width", "12"}, {"ffn", "10"}, {"heads", "2"}}},
      {"transformer",
       {{"encoder_layers", "2"},
        {"decoder_layers", "2"},
        {"width", "12"},
        {"ffn", "10"},
        {"heads", "2"}}},
      {"fconv_lm_dauphin",
       {{"layers", "2*6x3 (5x1:0 5x2:0 7x1:3) 8x1"},
        {"embedding", "5"},
        {"cutoffs", "4 9"},
        {"adaptive_factor", "2"}}},
      {"fconv_lm",
       {{"layers", "2*6x3 (5x1:0 5x2:0 7x1:3) 8x1"}, {"embedding", "5"}, {"features", "4"}}},
      {"fconv",
       {{"encoder_layers", "2*6x3 7x4 8x1"},
        {"decoder_layers", "6x3 7x2 8x1"},
        {"embedding", "5"},
        {"features", "4"}}},
      {"lightconv_lm_gbw", adaptive_light_lm},
      {"lightconv_lm", light_lm},
      {"dynamicconv_lm", light_lm},
      {"lightconv", light},
      {"dynamicconv", light}};
  for (const ModelFamily& family : families) {
    if (preset.starts_with(family.prefix)) return &family;
  }
  return nullptr;
}

struct SmallModel {
  VocabularySizes vocabulary;
  std::unique_ptr<Model> model;
};

// With random parameters, a place for gradients, and no dropout unless `changes` say so.
inline SmallModel small_model(const std::string& preset, const SettingChanges& changes = {}) {
  const bool translates = preset.find("_lm") == std::string::npos;
  SmallModel result{
      .vocabulary = {.source = translates ? 13 : 0, .target = 13, .shared = translates},
      .model = nullptr};
  const auto config = models().get(preset)();
  Settings settings;
  config->bind(settings);
  settings.set("model.max_positions", std::to_string(kLongest));
  settings.set("model.dropout", "0");
  for (const auto& [name, value] : family_of(preset)->changes) {
    settings.set("model." + name, value);
  }
  for (const auto& [name, value] : changes) settings.set("model." + name, value);
  result.model = config->build(result.vocabulary);
  fill_parameters(result.model->parameters(), 17, 0.4);
  return result;
}

}  // namespace skein
