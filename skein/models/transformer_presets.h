// The Transformer's settings and its named presets.
#pragma once

#include "skein/models/registry.h"
#include "skein/models/transformer.h"

namespace skein {

class TransformerConfig : public ModelConfig {
 public:
  explicit TransformerConfig(TransformerOptions options) : options_(std::move(options)) {}
  void bind(Settings& settings) override;
  std::unique_ptr<Model> build(const VocabularySizes& vocabulary) const override;

 private:
  TransformerOptions options_;
};

// transformer_tiny, _small, _iwslt, _base, _big, and decoder-only transformer_lm_tiny, _small,
// _base.
void add_transformer_presets(Registry<ModelFactory>& registry);

}  // namespace skein
