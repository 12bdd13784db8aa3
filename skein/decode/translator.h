// From lines of source text to their translations.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skein/decode/batched_search.h"
#include "skein/decode/source_text.h"
#include "skein/text/tokenizer.h"

namespace skein {

struct TranslatorOptions {
  SearchOptions search = {};
  int64_t n_best = 1;  // at most search.beam
  // Most source tokens times beam of a batch; a longer sentence is a batch of its own.
  int64_t batch_tokens = 4096;
  LongLines long_lines = LongLines::kSplit;
};

struct TranslatedText {
  std::string text;
  Hypothesis search;  // of a line in parts: their tokens one after another, each part with its eos
};

struct Translation {
  // Best first, at most n_best; exactly one, without text, for a line without content.
  std::vector<TranslatedText> hypotheses;
};

class Translator {
 public:
  // The tokenisers must outlive this object. Throws UsageError for an option out of range, and if
  // the target tokeniser's vocabulary is not the model's.
  Translator(ScorerFactory make_scorer, const Tokenizer& source, const Tokenizer& target,
             TranslatorOptions options);

  const TranslatorOptions& options() const { return options_; }
  const Tokenizer& target() const { return target_; }

  // As encode_source() with the model's positions. Throws what that throws.
  SourceText encode(std::string_view line) const;

  // A text's translation depends on that text only, to the bit, not on the others nor on the number
  // of threads. Throws what beam_search() throws.
  std::vector<Translation> translate(std::span<const SourceText> texts) const;

 private:
  using Found = std::vector<std::vector<Hypothesis>>;  // [sentences][n_best]

  Found search(std::span<const SourcePart* const> parts) const;
  Translation assemble(std::span<const SourcePart> parts,
                       std::span<std::vector<Hypothesis>> found) const;

  ScorerFactory make_scorer_;
  const Tokenizer& source_;
  const Tokenizer& target_;
  TranslatorOptions options_;
  int64_t max_source_length_ = 0;
};

}  // namespace skein
