// The settings of the gated convolutional language model and its named presets.
#pragma once

#include <string>
#include <utility>

#include "skein/models/adaptive_settings.h"
#include "skein/models/fconv_lm.h"

namespace skein {

class FConvLmConfig : public ModelConfig {
 public:
  // What can be set; FConvLmOptions with its lists as text.
  struct Values {
    std::string layers = "4*256x4";  // see parse_convolution_layers()
    int64_t embedding = 128;
    int64_t features = 128;
    AdaptiveSettings adaptive = {};
    int64_t max_positions = 1024;
    double dropout = 0.1;
  };
  explicit FConvLmConfig(Values values) : values_(std::move(values)) {}
  void bind(Settings& settings) override;
  bool has_source() const override { return false; }
  std::unique_ptr<Model> build(const VocabularySizes& vocabulary) const override;

 private:
  Values values_;
};

// fconv_lm_dauphin_wikitext103 and fconv_lm_dauphin_gbw: GCNN-14 of Dauphin et al. 2016, table 1,
// as the reference has them; fconv_lm_small for a laptop.
void add_fconv_lm_presets(Registry<ModelFactory>& registry);

}  // namespace skein
