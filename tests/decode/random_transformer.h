// A small Transformer whose distributions are far from uniform.
#pragma once

#include <memory>

#include "skein/base/random.h"
#include "skein/models/transformer.h"

namespace skein {

inline std::unique_ptr<Transformer> random_transformer(int64_t vocabulary, DType type) {
  auto model = std::make_unique<Transformer>(
      TransformerOptions{.encoder_layers = 2,
                         .decoder_layers = 2,
                         .width = 48,
                         .ffn = 72,
                         .heads = 3,
                         .max_positions = 64},
      VocabularySizes{.source = vocabulary, .target = vocabulary, .shared = true});
  model->parameters().allocate({.half = true, .gradients = false});
  model->parameters().initialize(11);
  Random random(12);
  for (const Parameter& each : model->parameters().parameters()) {
    Tensor values = each.variable.value();
    for (float& value : values.values<float>()) value += static_cast<float>(0.1 * random.normal());
  }
  model->parameters().refresh_half();
  model->parameters().freeze();
  model->set_inference_type(type);
  return model;
}

}  // namespace skein
