// Noisy-channel reranking (Yee et al. 2019): of the translations that a search found, the best is
// the one that also explains the source text and is good text by itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "skein/decode/hypothesis.h"
#include "skein/models/model.h"
#include "skein/text/tokenizer.h"

namespace skein {

// A model that translates back, from the target language into the source language, with its own
// vocabularies. All outlive the reranker.
struct ChannelModel {
  const Model& model;
  const Tokenizer& source;
  const Tokenizer& target;
};
struct LanguageModel {
  const Model& model;
  const Tokenizer& tokenizer;
};

struct RerankOptions {
  double channel_weight = 1;
  double language_weight = 1;
  double length_penalty = 1;
  int64_t batch_tokens = 4096;
};

// Log-probabilities of whole texts; -infinity where one is longer than a model's positions.
struct ChannelScores {
  double direct = 0;    // log p(y | x), penalties included
  double channel = 0;   // log p(x | y)
  double language = 0;  // log p(y); 0 without a language model
};

struct RerankedText {
  std::string_view source;
  std::string_view target;
  Hypothesis* hypothesis = nullptr;
  ChannelScores scores = {};
};

class Reranker {
 public:
  // language: may be null. Throws UsageError for a channel model without a source side or a
  // language model with one, and weights that are not finite or below 0.
  Reranker(ChannelModel channel, const LanguageModel* language, const RerankOptions& options);

  // Fills in the scores and sets each hypothesis's score to
  //   log p(y | x) / |y|^l + (channel weight · log p(x | y) + language weight · log p(y)) / |x|^l
  // with the length penalty l and lengths in tokens, of y the translation model's and of x the
  // channel model's, eos included.
  void rescore(std::span<RerankedText> texts) const;

 private:
  double combined(const ChannelScores& scores, size_t target_length, size_t source_length) const;

  ChannelModel channel_;
  const LanguageModel* language_;
  RerankOptions options_;
};

}  // namespace skein
