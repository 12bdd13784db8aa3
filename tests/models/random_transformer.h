// Small Transformers of every setting, with random parameters and batches.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "models/plain_transformer.h"
#include "models/random_batch.h"
#include "nn/filled_store.h"
#include "skein/models/transformer.h"

namespace skein {

// 24 combinations of norm, positions, sharing and kind, each with another activation, number of
// layers, heads and width.
constexpr int kTransformerCombinations = 24;

inline constexpr int64_t kSourceWords = 13, kTargetWords = 11;

inline TransformerOptions transformer_combination(int number) {
  Random random(static_cast<uint64_t>(number));
  const auto at = [number](int stride, std::vector<std::string> choices) {
    return choices[static_cast<size_t>(number / stride) % choices.size()];
  };
  const int64_t heads = int64_t{1} << random.below(3);
  return {.encoder_layers = number % 2 == 0 ? random_between(random, 1, 3) : 0,
          .decoder_layers = random_between(random, 1, 3),
          // A norm of fewer than 4 columns loses most of its digits.
          .width = heads * (4 / heads + random_between(random, 0, 4)),
          .ffn = random_between(random, 1, 12),
          .heads = heads,
          .norm = at(2, {"post", "pre"}),
          .positions = at(4, {"sinusoidal", "learned"}),
          .activation = at(1, {"relu", "geglu", "silu", "swiglu", "gelu", "glu"}),
          .share_embeddings = at(8, {"none", "output", "all"}),
          .max_positions = 9,
          .dropout = 0};
}

inline VocabularySizes vocabulary_of(const TransformerOptions& options) {
  const bool shared = options.share_embeddings == "all";
  if (options.encoder_layers == 0) return {.source = 0, .target = kTargetWords, .shared = false};
  return {.source = shared ? kTargetWords : kSourceWords, .target = kTargetWords, .shared = shared};
}

// Language models with an adaptive softmax: its own, with adaptive input too, and both one. Each
// with and without the last norm.
constexpr int kAdaptiveCombinations = 6;

inline TransformerOptions adaptive_combination(int number) {
  TransformerOptions options = transformer_combination(2 * number + 1);
  Random random(static_cast<uint64_t>(number));
  options.norm = "pre";
  options.adaptive_input = number % 3 > 0;
  options.share_embeddings = number % 3 == 2 ? "output" : "none";
  options.final_norm = number % 2 == 0;
  options.adaptive_factor = 1.5;
  const int64_t first = random_between(random, 1, 4);
  options.bands = WordBands({first, first + random_between(random, 1, 4), kTargetWords});
  return options;
}

inline std::unique_ptr<Transformer> random_transformer(const TransformerOptions& options) {
  auto model = std::make_unique<Transformer>(options, vocabulary_of(options));
  fill_parameters(model->parameters(), 17, 0.4);
  return model;
}

inline PlainTransformer plain_twin(const TransformerOptions& options, const Transformer& model) {
  return {options, plain_parameters(model.parameters())};
}

inline Batch random_batch(const TransformerOptions& options, int64_t sentences, uint64_t seed) {
  return random_batch(vocabulary_of(options), sentences, seed);
}

}  // namespace skein
