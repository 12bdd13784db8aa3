// The tables of words of a Transformer-like model: the embeddings of source and target and the
// output, each its own or one with others, in one piece or in bands.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "skein/models/output_projection.h"
#include "skein/models/registry.h"
#include "skein/nn/adaptive_softmax.h"
#include "skein/nn/token_embedding.h"

namespace skein {

struct WordTableOptions {
  TokenEmbedding::Options embedding;
  bool has_source = true;
  // Which are one: "none", "output" (decoder input and output), "all" (source too).
  std::string share = "all";
  // Language models: words in bands, whose softmax is adaptive, and their embeddings too or not.
  // `share` says whether these are one.
  std::optional<WordBands> bands = std::nullopt;
  bool adaptive_input = false;
  double adaptive_factor = 4;
  double adaptive_dropout = 0;  // inside the softmax's tails
};

class WordTables {
 public:
  // Parameters `embedding.weight` or `encoder.embedding.weight` and `decoder.embedding...`, and
  // `output...` where the output has its own.
  WordTables(ParameterStore& store, const WordTableOptions& options,
             const VocabularySizes& vocabulary);

  const TokenEmbedding& source() const { return *source_; }
  const TokenEmbedding& target() const { return *target_; }
  int64_t vocabulary() const { return vocabulary_; }  // of the target
  OutputProjection output(Tape& tape) const;
  // Of the output in a forward pass over these targets.
  double output_multiply_adds(std::span<const int32_t> targets) const;

 private:
  void add_output(ParameterStore& store, const WordTableOptions& options);

  int64_t vocabulary_;
  std::optional<TokenEmbedding> source_;
  std::optional<TokenEmbedding> target_;
  // One of two.
  Variable output_;
  std::optional<AdaptiveSoftmax> adaptive_output_;
};

}  // namespace skein
