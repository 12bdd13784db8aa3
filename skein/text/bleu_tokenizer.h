// The tokenisations that BLEU scores are published with. A score means nothing without its own.
#pragma once

#include <string>
#include <string_view>

namespace skein {

enum class BleuTokenizer {
  k13a,   // mteval-v13a (NIST), the standard of WMT
  kIntl,  // mteval-v14 with --international-tokenization: all punctuation and symbols of Unicode
  kChar,  // every code point is a token
  kNone,  // the text is tokenised already
};

// "13a", "intl", "char", "none". Throws UsageError for another name, with the nearest of these.
BleuTokenizer bleu_tokenizer(std::string_view name);
std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer);

// `line` with white space between its tokens.
std::string tokenize_for_bleu(std::string_view line, BleuTokenizer tokenizer);

}  // namespace skein
