// What attention tells of translations that are there: which words belong together, and what
// unknown words stand for.
#pragma once

#include <cstdint>
#include <span>

#include "skein/decode/aligner.h"
#include "skein/decode/translation.h"
#include "skein/decode/word_dictionary.h"
#include "skein/text/tokenizer.h"

namespace skein {

struct AlignOptions {
  bool keep_pairs = false;                        // in TranslatedText::alignment
  const WordDictionary* unknown_words = nullptr;  // if given, unknown words are replaced
  int64_t batch_tokens = 4096;
};

void align_parts(std::span<TranslatedPart> parts, const Aligner& aligner, const Tokenizer& source,
                 const Tokenizer& target, const AlignOptions& options);

}  // namespace skein
