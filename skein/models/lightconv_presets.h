// The settings of LightConv and DynamicConv and their named presets.
#pragma once

#include <string>

#include "skein/models/adaptive_settings.h"
#include "skein/models/lightconv.h"

namespace skein {

class LightConvConfig : public ModelConfig {
 public:
  // What can be set; the kernels and bands of `options` come from the others.
  struct Values {
    std::string encoder_kernels;  // "" for a language model
    std::string decoder_kernels;
    LightConvOptions options;
    AdaptiveSettings adaptive;
  };
  explicit LightConvConfig(Values values) : values_(std::move(values)) {}
  void bind(Settings& settings) override;
  bool has_source() const override { return !values_.encoder_kernels.empty(); }
  std::unique_ptr<Model> build(const VocabularySizes& vocabulary) const override;

 private:
  Values values_;
};

// The presets of the paper and its reference: lightconv_iwslt_de_en, lightconv_wmt_en_de, .._big,
// lightconv_wmt_en_fr_big, lightconv_wmt_zh_en_big, lightconv_lm, lightconv_lm_gbw, and all of them
// as dynamicconv_...
void add_lightconv_presets(Registry<ModelFactory>& registry);

}  // namespace skein
