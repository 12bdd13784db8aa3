#include "skein/models/transformer_presets.h"

#include <fmt/format.h>

#include "skein/base/error.h"

namespace skein {

void TransformerConfig::bind(Settings& settings) {
  TransformerOptions& o = options_;
  const Range probability{0, 0.999};
  settings.add("model.encoder_layers", &o.encoder_layers, "encoder layers; 0: a language model",
               {0, 1000});
  settings.add("model.decoder_layers", &o.decoder_layers, "decoder layers", {1, 1000});
  settings.add("model.width", &o.width, "width of embeddings and layers", {1, 1 << 16});
  settings.add("model.ffn", &o.ffn, "inner width of the feed-forward layers", {1, 1 << 18});
  settings.add("model.heads", &o.heads, "attention heads", {1, 1 << 10});
  settings.add("model.norm", &o.norm, "layer norm after or before each sub-layer", {"post", "pre"});
  settings.add("model.positions", &o.positions, "position embeddings", {"sinusoidal", "learned"});
  settings.add("model.activation", &o.activation, "activation of the feed-forward layers",
               FeedForward::activations());
  settings.add("model.share_embeddings", &o.share_embeddings,
               "which embeddings are one (output: decoder input and output; all: source too)",
               {"none", "output", "all"});
  adaptive_.bind(settings);
  AdaptiveSettings::bind_input(settings, &o.adaptive_input);
  settings.add("model.final_norm", &o.final_norm, "pre-norm: layer norm behind the last layer too");
  settings.add("model.max_positions", &o.max_positions, "longest sentence in tokens", {1, 65536});
  settings.add("model.dropout", &o.dropout, "dropout of embeddings and sub-layers", probability);
  settings.add("model.attention_dropout", &o.attention_dropout,
               "dropout of attention probabilities", probability);
  settings.add("model.activation_dropout", &o.activation_dropout,
               "dropout inside the feed-forward layers", probability);
}

std::unique_ptr<Model> TransformerConfig::build(const VocabularySizes& vocabulary) const {
  const TransformerOptions& o = options_;
  if (o.width % o.heads != 0) {
    throw UsageError(
        fmt::format("model.width = {} is not a multiple of model.heads = {}; change one of them",
                    o.width, o.heads));
  }
  if (o.encoder_layers > 0) {
    require_source_vocabulary(vocabulary, "transformer_lm_small");
  } else {
    require_no_source_vocabulary(vocabulary, "transformer_small");
  }
  if (o.encoder_layers > 0 && o.share_embeddings == "all" && !vocabulary.shared) {
    throw UsageError(
        "model.share_embeddings = 'all' needs one vocabulary for both languages; prepare with "
        "--vocab alone, or "
        "set it to 'output'");
  }
  TransformerOptions complete = o;
  complete.bands = adaptive_.bands(vocabulary.target);
  complete.adaptive_factor = adaptive_.factor;
  complete.adaptive_dropout = adaptive_.dropout;
  adaptive_.require_fit(o.encoder_layers > 0, o.share_embeddings, o.adaptive_input,
                        "model.encoder_layers to 0");
  return std::make_unique<Transformer>(complete, vocabulary);
}

void add_transformer_presets(Registry<ModelFactory>& registry) {
  const auto add = [&registry](const char* name, const TransformerOptions& options,
                               const AdaptiveSettings& adaptive = {}) {
    registry.add(name, [options, adaptive] {
      return std::make_unique<TransformerConfig>(options, adaptive);
    });
  };
  add("transformer_tiny", {.encoder_layers = 4,
                           .decoder_layers = 4,
                           .width = 128,
                           .ffn = 256,
                           .heads = 4,
                           .dropout = 0.3});
  add("transformer_small",
      {.encoder_layers = 3, .decoder_layers = 3, .width = 256, .ffn = 1024, .heads = 4});
  add("transformer_iwslt", {.encoder_layers = 6,
                            .decoder_layers = 6,
                            .width = 512,
                            .ffn = 1024,
                            .heads = 4,
                            .dropout = 0.3});
  add("transformer_base", {});
  add("transformer_big", {.width = 1024, .ffn = 4096, .heads = 16, .dropout = 0.3});
  add("transformer_lm_tiny", {.encoder_layers = 0,
                              .decoder_layers = 4,
                              .width = 128,
                              .ffn = 256,
                              .heads = 4,
                              .norm = "pre"});
  add("transformer_lm_small", {.encoder_layers = 0,
                               .decoder_layers = 6,
                               .width = 256,
                               .ffn = 1024,
                               .heads = 4,
                               .norm = "pre"});
  add("transformer_lm_base", {.encoder_layers = 0,
                              .decoder_layers = 12,
                              .width = 512,
                              .ffn = 2048,
                              .heads = 8,
                              .norm = "pre"});
  // The first band of the input is the first of the output, and so on (ADP-T).
  add("transformer_lm_wiki103",
      {.encoder_layers = 0,
       .decoder_layers = 16,
       .width = 1024,
       .ffn = 4096,
       .heads = 8,
       .norm = "pre",
       .adaptive_input = true,
       .final_norm = false,
       .dropout = 0.3,
       .attention_dropout = 0.1,
       .activation_dropout = 0.1},
      {.cutoffs = "20000 60000", .dropout = 0.2});
  add("transformer_lm_gbw",
      {.encoder_layers = 0,
       .decoder_layers = 12,
       .width = 512,
       .ffn = 4096,
       .heads = 16,
       .norm = "pre",
       .adaptive_input = true,
       .final_norm = false,
       .attention_dropout = 0.1},
      {.cutoffs = "60000 160000"});
}

}  // namespace skein
