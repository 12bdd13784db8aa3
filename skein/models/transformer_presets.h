// The Transformer's settings and its named presets.
#pragma once

#include <utility>

#include "skein/models/adaptive_settings.h"
#include "skein/models/registry.h"
#include "skein/models/transformer.h"

namespace skein {

class TransformerConfig : public ModelConfig {
 public:
  explicit TransformerConfig(TransformerOptions options, AdaptiveSettings adaptive = {})
      : options_(std::move(options)), adaptive_(std::move(adaptive)) {}
  void bind(Settings& settings) override;
  bool has_source() const override { return options_.encoder_layers > 0; }
  std::unique_ptr<Model> build(const VocabularySizes& vocabulary) const override;

 private:
  TransformerOptions options_;  // without what follows from adaptive_
  AdaptiveSettings adaptive_;
};

// transformer_tiny, _small, _iwslt, _base, _big; decoder-only transformer_lm_tiny, _small, _base;
// transformer_lm_wiki103 and _gbw of Baevski & Auli 2019.
void add_transformer_presets(Registry<ModelFactory>& registry);

}  // namespace skein
