// Small Transformers whose distributions are far from uniform.
#pragma once

#include <memory>

#include "skein/base/random.h"
#include "skein/models/transformer.h"

namespace skein {

struct RandomTransformerOptions {
  int64_t source = 0;  // size of the vocabulary; 0: a language model
  int64_t target = 0;
  bool shared = false;
  DType type = DType::kF32;
  uint64_t seed = 11;
  int64_t max_positions = 64;
};

inline std::unique_ptr<Transformer> random_transformer(const RandomTransformerOptions& options) {
  auto model = std::make_unique<Transformer>(
      TransformerOptions{.encoder_layers = options.source > 0 ? 2 : 0,
                         .decoder_layers = 2,
                         .width = 48,
                         .ffn = 72,
                         .heads = 3,
                         .share_embeddings = options.shared ? "all" : "output",
                         .max_positions = options.max_positions},
      VocabularySizes{
          .source = options.source, .target = options.target, .shared = options.shared});
  model->parameters().allocate({.half = true, .gradients = false});
  model->parameters().initialize(options.seed);
  Random random(options.seed + 1);
  for (const Parameter& each : model->parameters().parameters()) {
    Tensor values = each.variable.value();
    for (float& value : values.values<float>()) value += static_cast<float>(0.1 * random.normal());
  }
  model->parameters().refresh_half();
  model->parameters().freeze();
  model->set_inference_type(options.type);
  return model;
}

// Translates within one vocabulary.
inline std::unique_ptr<Transformer> random_transformer(int64_t vocabulary, DType type) {
  return random_transformer(
      {.source = vocabulary, .target = vocabulary, .shared = true, .type = type});
}

inline std::unique_ptr<Transformer> random_language_model(int64_t vocabulary,
                                                          int64_t max_positions = 64) {
  return random_transformer({.target = vocabulary, .seed = 21, .max_positions = max_positions});
}

}  // namespace skein
