#include "skein/models/lightconv_presets.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "skein/base/error.h"

namespace skein {
namespace {

constexpr int64_t kMostLayers = 1000;
constexpr int64_t kLongestKernel = 1024;

[[noreturn]] void refuse(std::string_view setting, std::string_view text, std::string_view word) {
  throw UsageError(fmt::format(
      "{} = '{}': '{}' is no window; expected the tokens of each layer's window, from 1 "
      "to {}, such as 3 7 15 4*31",
      setting, text, word, kLongestKernel));
}

// The number from `begin` on, moving it behind; 0 if there is none from 1 to `most`.
int64_t take_number(std::string_view& text, int64_t most) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 1 || value > most) return 0;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// "3 7 4*31": windows of 3, 7, 31, 31, 31, 31 tokens.
std::vector<int64_t> parse_kernels(std::string_view setting, const std::string& text) {
  std::vector<int64_t> kernels;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string_view rest = word;
    int64_t count = 1, kernel = take_number(rest, kLongestKernel);
    if (rest.starts_with('*')) {
      rest.remove_prefix(1);
      count = kernel;
      kernel = take_number(rest, kLongestKernel);
    }
    const int64_t layers = static_cast<int64_t>(kernels.size()) + count;
    if (count < 1 || kernel < 1 || !rest.empty()) refuse(setting, text, word);
    if (layers > kMostLayers) {
      throw UsageError(
          fmt::format("{} = '{}' has more than {} layers", setting, text, kMostLayers));
    }
    kernels.insert(kernels.end(), static_cast<size_t>(count), kernel);
  }
  return kernels;
}

}  // namespace

void LightConvConfig::bind(Settings& settings) {
  LightConvOptions& o = values_.options;
  const Range probability{0, 0.999};
  settings.add("model.kind", &o.kind,
               "the weights of a window: light, the same for all tokens, or dynamic, made from the "
               "token",
               {"light", "dynamic"});
  settings.add(
      "model.encoder_kernels", &values_.encoder_kernels,
      "tokens of each encoder layer's window, such as 3 7 15 4*31; none: a language model");
  settings.add("model.decoder_kernels", &values_.decoder_kernels,
               "tokens of each decoder layer's window");
  settings.add("model.width", &o.width, "width of embeddings and layers", {1, 1 << 16});
  settings.add("model.ffn", &o.ffn, "inner width of the feed-forward layers", {1, 1 << 18});
  settings.add("model.heads", &o.heads, "heads of convolutions and attention", {1, 1 << 10});
  settings.add("model.glu", &o.glu, "gated linear units before the convolutions");
  settings.add("model.softmax", &o.softmax, "softmax over the weights of a window");
  settings.add("model.norm", &o.norm, "layer norm after or before each sub-layer", {"post", "pre"});
  settings.add("model.positions", &o.positions, "position embeddings", {"sinusoidal", "learned"});
  settings.add("model.activation", &o.activation, "activation of the feed-forward layers",
               FeedForward::activations());
  settings.add(
      "model.share_embeddings", &o.share_embeddings,
      "which embeddings are one: none; output (decoder input and output); all (source too)",
      {"none", "output", "all"});
  values_.adaptive.bind(settings);
  AdaptiveSettings::bind_input(settings, &o.adaptive_input);
  settings.add("model.max_positions", &o.max_positions, "longest sentence in tokens", {1, 65536});
  settings.add("model.dropout", &o.dropout, "dropout of embeddings and sub-layers", probability);
  settings.add("model.input_dropout", &o.input_dropout,
               "dropout of what the convolution sub-layers read", probability);
  settings.add("model.weight_dropout", &o.weight_dropout, "dropout of the windows' weights",
               probability);
  settings.add("model.attention_dropout", &o.attention_dropout,
               "dropout of attention probabilities", probability);
  settings.add("model.activation_dropout", &o.activation_dropout,
               "dropout inside the feed-forward layers", probability);
}

std::unique_ptr<Model> LightConvConfig::build(const VocabularySizes& vocabulary) const {
  LightConvOptions options = values_.options;
  options.encoder_kernels = parse_kernels("model.encoder_kernels", values_.encoder_kernels);
  options.decoder_kernels = parse_kernels("model.decoder_kernels", values_.decoder_kernels);
  if (options.decoder_kernels.empty()) {
    throw UsageError("model.decoder_kernels names no layer; expected at least one, such as 3 7 15");
  }
  if (options.width % options.heads != 0) {
    throw UsageError(
        fmt::format("model.width = {} is not a multiple of model.heads = {}; change one of them",
                    options.width, options.heads));
  }
  if (options.encoder_kernels.empty()) {
    require_no_source_vocabulary(vocabulary, "lightconv_iwslt_de_en");
  } else {
    require_source_vocabulary(vocabulary, "lightconv_lm");
    if (options.share_embeddings == "all" && !vocabulary.shared) {
      throw UsageError(
          "model.share_embeddings = 'all' needs one vocabulary for both languages; prepare with "
          "--vocab alone, or set it to 'output'");
    }
  }
  const AdaptiveSettings& adaptive = values_.adaptive;
  adaptive.require_fit(has_source(), options.share_embeddings, options.adaptive_input,
                       "model.encoder_kernels to none");
  options.bands = adaptive.bands(vocabulary.target);
  options.adaptive_factor = adaptive.factor;
  options.adaptive_dropout = adaptive.dropout;
  return std::make_unique<LightConv>(options, vocabulary);
}

void add_lightconv_presets(Registry<ModelFactory>& registry) {
  // Wu et al. 2019, section 5, and the reference.
  const LightConvOptions base;
  LightConvOptions iwslt = base;
  iwslt.ffn = 1024;
  iwslt.heads = 4;
  iwslt.glu = false;
  iwslt.input_dropout = 0;
  iwslt.weight_dropout = iwslt.attention_dropout = 0.1;
  LightConvOptions big = base;
  big.width = 1024;
  big.ffn = 4096;
  big.heads = 16;
  big.dropout = 0.3;
  big.weight_dropout = big.attention_dropout = 0.1;
  LightConvOptions en_fr = big;
  en_fr.dropout = 0.1;
  LightConvOptions zh_en = big;
  zh_en.dropout = zh_en.weight_dropout = zh_en.attention_dropout = 0.2;
  LightConvOptions lm = base;
  lm.norm = "pre";  // training is not stable without, says the reference
  LightConvOptions gbw = lm;
  gbw.ffn = 4096;
  gbw.heads = 16;
  gbw.weight_dropout = gbw.attention_dropout = 0.1;

  for (const std::string kind : {"light", "dynamic"}) {
    const auto add = [&](const std::string& name, const std::string& encoder,
                         LightConvOptions options) {
      options.kind = kind;
      const LightConvConfig::Values values = {encoder, "3 7 15 3*31", options, {}};
      registry.add(kind + "conv_" + name,
                   [values] { return std::make_unique<LightConvConfig>(values); });
    };
    const std::string encoder = "3 7 15 4*31";
    add("iwslt_de_en", encoder, iwslt);
    add("wmt_en_de", encoder, base);
    add("wmt_en_de_big", encoder, big);
    add("wmt_en_fr_big", encoder, en_fr);
    add("wmt_zh_en_big", encoder, zh_en);
    add("lm", "", lm);
    add("lm_gbw", "", gbw);
  }
}

}  // namespace skein
