// From lines of source text to their translations.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skein/decode/aligner.h"
#include "skein/decode/batched_search.h"
#include "skein/decode/on_unmet.h"
#include "skein/decode/reranker.h"
#include "skein/decode/source_line.h"
#include "skein/decode/source_text.h"
#include "skein/decode/translation.h"
#include "skein/decode/word_dictionary.h"
#include "skein/text/tokenizer.h"

namespace skein {

struct TranslatorOptions {
  // Of all lines; each has its own prefix, constraints and stream of random numbers.
  SearchOptions search = {};
  int64_t n_best = 1;  // hypotheses kept of a line, at most search.beam
  // Most source tokens times beam of a batch; a longer sentence is a batch of its own.
  int64_t batch_tokens = 4096;
  LongLines long_lines = LongLines::kSplit;
  OnUnmet on_unmet = OnUnmet::kRefuse;
  bool alignment = false;  // of words is wanted; needs an aligner
};

// What a translator can do besides. Each may be null, and must outlive it.
struct TranslatorExtensions {
  const Aligner* aligner = nullptr;
  const WordDictionary* unknown_words = nullptr;  // replaces unknown words; needs an aligner
  const Reranker* reranker = nullptr;             // sorts all `beam` hypotheses anew
};

// A line in tokens.
struct EncodedLine {
  int64_t number = 0;  // names its stream of random numbers
  SourceText text = {};
  std::vector<int32_t> prefix = {};
  std::vector<std::vector<int32_t>> constraints = {};
  bool constraints_left_out = false;  // as no translation can meet them
};

class Translator {
 public:
  // The tokenisers must outlive this object. Throws UsageError for an option out of range, and if
  // the target tokeniser's vocabulary is not the model's.
  Translator(ScorerFactory make_scorer, const Tokenizer& source, const Tokenizer& target,
             TranslatorOptions options, TranslatorExtensions extensions = {});

  const TranslatorOptions& options() const { return options_; }
  const Tokenizer& target() const { return target_; }

  // Throws what encode_source() throws; LinePartError for a prefix or constraint that is no text of
  // the target vocabulary, a prefix longer than the model's positions, and constraints of a line in
  // parts; Error for prefix or constraints of a line without content; UsageError for constraints
  // that the options of all lines leave no room for.
  EncodedLine encode(const SourceLine& line) const;

  // A line's translation depends on that line only, to the bit, not on the others nor on the number
  // of threads. Throws what beam_search() throws.
  std::vector<Translation> translate(std::span<const EncodedLine> lines) const;

 private:
  using Parts = std::vector<TranslatedPart>;

  std::vector<int32_t> encode_target(std::string_view text, LinePart part) const;
  std::vector<std::vector<int32_t>> constraints_of(const SourceLine& line, size_t parts) const;
  SearchOptions options_of(const EncodedLine& line, size_t part) const;
  Parts parts_of(std::span<const EncodedLine> lines) const;
  void search(std::span<TranslatedPart* const> parts) const;
  void search_without_constraints(Parts& parts) const;
  void rerank(Parts& parts) const;
  LengthBounds lengths_of(const TranslatedPart& part) const;
  // For the constraints beside `taken` other tokens.
  bool has_room(const TranslatedPart& part, int64_t taken = 0) const;
  const char* remedy_of(const TranslatedPart& part) const;
  Translation translation_of(const EncodedLine& line, std::span<TranslatedPart> parts) const;

  ScorerFactory make_scorer_;
  const Tokenizer& source_;
  const Tokenizer& target_;
  TranslatorOptions options_;
  TranslatorExtensions extensions_;
  int64_t max_source_length_ = 0;
  int64_t max_target_length_ = 0;
};

}  // namespace skein
