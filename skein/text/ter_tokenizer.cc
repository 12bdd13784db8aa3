#include "skein/text/ter_tokenizer.h"

#include <fmt/format.h>

#include "skein/text/python_text.h"
#include "skein/text/western_punctuation.h"

namespace skein {
namespace {

std::string normalize_western(std::string_view line) {
  std::string text = replace_all(line, "\n-", "");
  text = replace_all(text, "\n", " ");
  text = fmt::format(" {} ", unescape_entities(text));
  text = separate_symbols(text);
  text = replace_all(text, "'s ", " 's ");
  text = separate_periods_and_commas(text);
  return separate_dashes_after_digits(text);
}

bool is_asian_punctuation(char32_t c) {
  const bool ideographic = c == 0x3001 || c == 0x3002 || (c >= 0x3008 && c <= 0x3011) ||
                           (c >= 0x3014 && c <= 0x301F) || (c >= 0xFF61 && c <= 0xFF65) ||
                           c == 0x30FB;
  const bool full_width = c == 0xFF0E || c == 0xFF0C || c == 0xFF1F || c == 0xFF1A || c == 0xFF1B ||
                          c == 0xFF01 || c == 0xFF02 || c == 0xFF08 || c == 0xFF09;
  return ideographic || full_width;
}

// Characters that are a token each. tercom's rules for kana hold at the start of a text only, which
// normalisation has padded with a space, so they never apply and have no place here.
bool is_asian_token(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) ||  // CJK unified ideographs
         (c >= 0x3400 && c <= 0x4DBF) ||  // their extension A
         (c >= 0x31C0 && c <= 0x31EF) ||  // CJK strokes
         (c >= 0x2E80 && c <= 0x2EFF) ||  // CJK radicals supplement
         (c >= 0x3300 && c <= 0x33FF) ||  // CJK compatibility
         (c >= 0xF900 && c <= 0xFAFF) ||  // CJK compatibility ideographs
         (c >= 0xFE30 && c <= 0xFE4F) ||  // CJK compatibility forms
         (c >= 0x3200 && c <= 0x3F22) ||  // enclosed CJK letters; the end is sacreBLEU's
         is_asian_punctuation(c);
}

std::string separate_asian_tokens(std::string_view text) {
  std::u32string result;
  for (const char32_t c : code_points(text)) {
    if (is_asian_token(c)) {
      result += {U' ', c, U' '};
    } else {
      result += c;
    }
  }
  return to_utf8(result);
}

std::string remove_western_punctuation(std::string text) {
  std::erase_if(text, [](char c) {
    return std::string_view(".,?:;!\"()").find(c) != std::string_view::npos;
  });
  return text;
}

std::string remove_asian_punctuation(std::string_view text) {
  std::u32string result = code_points(text);
  std::erase_if(result, is_asian_punctuation);
  return to_utf8(result);
}

}  // namespace

std::string tokenize_for_ter(std::string_view line, const TerTokenizerOptions& options) {
  std::string text = options.case_sensitive ? std::string(line) : lower_case(line);
  if (options.normalized) {
    text = normalize_western(text);
    if (options.asian_support) text = separate_asian_tokens(text);
  }
  if (options.no_punct) {
    text = remove_western_punctuation(std::move(text));
    if (options.asian_support) text = remove_asian_punctuation(text);
  }
  return text;
}

}  // namespace skein
