// The settings of ConvS2S and its named presets.
#pragma once

#include <string>

#include "skein/models/fconv.h"

namespace skein {

class FConvConfig : public ModelConfig {
 public:
  // What can be set; FConvOptions with its lists as text.
  struct Values {
    std::string encoder_layers = "20*512x3";  // see parse_convolution_layers()
    std::string decoder_layers = "20*512x3";
    std::string attention = "all";  // or the numbers of layers, from 1
    int64_t embedding = 512;
    int64_t features = 256;
    bool positions = true;
    bool share_output = false;
    int64_t max_positions = 1024;
    double dropout = 0.1;
  };
  explicit FConvConfig(Values values) : values_(std::move(values)) {}
  void bind(Settings& settings) override;
  std::unique_ptr<Model> build(const VocabularySizes& vocabulary) const override;

 private:
  FConvOptions options() const;

  Values values_;
};

// fconv_iwslt_de_en, fconv_wmt_en_de, fconv_wmt_en_fr: Gehring et al. 2017, section 4.2, and the
// reference for IWSLT.
void add_fconv_presets(Registry<ModelFactory>& registry);

}  // namespace skein
