// The words of a source text as the user wrote them, and which of its tokens belong to which.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skein/text/tokenizer.h"

namespace skein {

struct SourceWords {
  std::vector<std::string> words;
  std::vector<int32_t> of_tokens;        // [tokens]: the word of each; -1: none
  std::vector<std::string> pieces = {};  // [tokens]: the text of each
};

// `text`: the raw text that `tokenizer` split into tokens. Words are as they stand there, or in
// their normal form where only that has as many words as the tokens; empty where neither has.
SourceWords source_words(std::string_view text, const Tokenizer& tokenizer);

}  // namespace skein
