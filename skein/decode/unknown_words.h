// Replaces what the model could only call unknown by the source word that it looked at (Luong et
// al. 2015), or by that word's translation in a dictionary.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "skein/decode/source_words.h"
#include "skein/decode/word_dictionary.h"
#include "skein/text/tokenizer.h"

namespace skein {

bool has_unknown(std::span<const int32_t> tokens);

struct UnknownWords {
  const SourceWords& source;
  std::span<const int32_t> aligned;  // for each target token its source token, -1: none
  const WordDictionary& dictionary;
};

// The text of `tokens`, special ones left out, where each word that contains kUnkId is replaced by
// the source word of the first such token; it stays unknown where there is none. In a script
// without spaces between words only the unknown tokens themselves are replaced, each word that
// several of them in a row were made from written once; from a source word in such a script comes
// not the whole of it, but the text of the source token.
std::string replace_unknown(std::span<const int32_t> tokens, const Tokenizer& tokenizer,
                            const UnknownWords& unknown);

}  // namespace skein
