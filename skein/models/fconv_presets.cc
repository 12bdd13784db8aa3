#include "skein/models/fconv_presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "skein/base/error.h"
#include "skein/models/convolution_layers.h"

namespace skein {
namespace {

// "all", or numbers from 1 to `layers`.
std::vector<bool> parse_attention(const std::string& text, size_t layers) {
  if (text == "all") return std::vector<bool>(layers, true);
  std::vector<bool> attention(layers, false);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool digits = word.size() < 5 && std::all_of(word.begin(), word.end(),
                                                       [](char c) { return c >= '0' && c <= '9'; });
    const size_t number = digits ? std::stoul(word) : 0;
    if (number < 1 || number > layers) {
      throw UsageError(
          fmt::format("model.attention = '{}': '{}' is no layer of the decoder; expected 'all' or "
                      "numbers from 1 to {}",
                      text, word, layers));
    }
    attention[number - 1] = true;
  }
  if (std::find(attention.begin(), attention.end(), true) == attention.end()) {
    throw UsageError(
        "model.attention names no layer; a translation model must attend to its source in one");
  }
  return attention;
}

}  // namespace

void FConvConfig::bind(Settings& settings) {
  Values& v = values_;
  settings.add("model.encoder_layers", &v.encoder_layers,
               "convolutions of the encoder, COUNT*WIDTHxWINDOW with the window in tokens");
  settings.add("model.decoder_layers", &v.decoder_layers, "convolutions of the decoder");
  settings.add("model.attention", &v.attention,
               "decoder layers that attend to the source: all, or numbers from 1");
  settings.add("model.embedding", &v.embedding, "width of embeddings and attention", {1, 1 << 16});
  settings.add("model.features", &v.features, "width between the decoder and the vocabulary",
               {1, 1 << 16});
  settings.add("model.positions", &v.positions, "add learned position embeddings");
  settings.add("model.share_output", &v.share_output,
               "the output weights are the target embedding");
  settings.add("model.max_positions", &v.max_positions, "longest sentence in tokens", {1, 65536});
  settings.add("model.dropout", &v.dropout, "dropout of embeddings and of every layer's input",
               {0, 0.999});
}

FConvOptions FConvConfig::options() const {
  const Values& v = values_;
  FConvOptions options{
      .encoder_layers = parse_convolution_layers("model.encoder_layers", v.encoder_layers),
      .decoder_layers = parse_convolution_layers("model.decoder_layers", v.decoder_layers),
      .attention = {},
      .embedding = v.embedding,
      .features = v.features,
      .positions = v.positions,
      .share_output = v.share_output,
      .max_positions = v.max_positions,
      .dropout = v.dropout};
  options.attention = parse_attention(v.attention, options.decoder_layers.size());
  if (v.share_output && v.features != v.embedding) {
    throw UsageError(
        fmt::format("model.share_output needs model.features = {} to be model.embedding = {}; set "
                    "one to the other",
                    v.features, v.embedding));
  }
  return options;
}

std::unique_ptr<Model> FConvConfig::build(const VocabularySizes& vocabulary) const {
  require_source_vocabulary(vocabulary, "transformer_lm_small");
  return std::make_unique<FConv>(options(), vocabulary);
}

void add_fconv_presets(Registry<ModelFactory>& registry) {
  const auto add = [&registry](const char* name, const FConvConfig::Values& values) {
    registry.add(name, [values] { return std::make_unique<FConvConfig>(values); });
  };
  add("fconv_iwslt_de_en", {.encoder_layers = "4*256x3",
                            .decoder_layers = "3*256x3",
                            .embedding = 256,
                            .features = 256});
  const std::string wmt_en_de = "9*512x3 4*1024x3 2*2048x1";
  add("fconv_wmt_en_de", {.encoder_layers = wmt_en_de,
                          .decoder_layers = wmt_en_de,
                          .embedding = 768,
                          .features = 512});
  const std::string wmt_en_fr = "6*512x3 4*768x3 3*1024x3 2048x1 4096x1";
  add("fconv_wmt_en_fr", {.encoder_layers = wmt_en_fr,
                          .decoder_layers = wmt_en_fr,
                          .embedding = 768,
                          .features = 512});
}

}  // namespace skein
