#include "skein/models/fconv_lm_presets.h"

#include "skein/models/convolution_layers.h"

namespace skein {

void FConvLmConfig::bind(Settings& settings) {
  Values& v = values_;
  settings.add("model.layers", &v.layers,
               "convolutions, COUNT*WIDTHxWINDOW with the window in tokens, :N for a residual "
               "connection over N layers");
  settings.add("model.embedding", &v.embedding, "width of the embeddings", {1, 1 << 16});
  settings.add("model.features", &v.features,
               "width before a softmax over all words; an adaptive one reads the last layer",
               {1, 1 << 16});
  v.adaptive.bind(settings);
  settings.add("model.max_positions", &v.max_positions, "longest sentence in tokens", {1, 65536});
  settings.add("model.dropout", &v.dropout, "dropout of embeddings and of every layer's input",
               {0, 0.999});
}

std::unique_ptr<Model> FConvLmConfig::build(const VocabularySizes& vocabulary) const {
  require_no_source_vocabulary(vocabulary, "fconv_iwslt_de_en");
  const Values& v = values_;
  const FConvLmOptions options{.layers = parse_convolution_layers("model.layers", v.layers),
                               .embedding = v.embedding,
                               .features = v.features,
                               .bands = v.adaptive.bands(vocabulary.target),
                               .adaptive_factor = v.adaptive.factor,
                               .adaptive_dropout = v.adaptive.dropout,
                               .max_positions = v.max_positions,
                               .dropout = v.dropout};
  return std::make_unique<FConvLm>(options, vocabulary.target);
}

void add_fconv_lm_presets(Registry<ModelFactory>& registry) {
  const auto add = [&registry](const char* name, const FConvLmConfig::Values& values) {
    registry.add(name, [values] { return std::make_unique<FConvLmConfig>(values); });
  };
  add("fconv_lm_dauphin_wikitext103",
      {.layers = "3*850x6 850x1 4*850x5 850x1 3*850x4 1024x4 2048x4",
       .embedding = 280,
       .features = 280,
       .adaptive = {.cutoffs = "10000 20000 200000"}});
  // Bottlenecks: narrow, convolve, widen.
  add("fconv_lm_dauphin_gbw",
      {.layers = "512x5 3*(128x1:0 128x5:0 512x1:3) 3*(512x1:0 512x5:0 1024x1:3) "
                 "6*(1024x1:0 1024x5:0 2048x1:3) 1024x1:0 1024x5:0 4096x1:3",
       .embedding = 128,
       .features = 128,
       .adaptive = {.cutoffs = "10000 50000 200000"}});
  add("fconv_lm_small", {.layers = "256x4 7*(128x1:0 128x5:0 256x1:3)",
                         .embedding = 256,
                         .features = 256,
                         .dropout = 0.2});
}

}  // namespace skein
