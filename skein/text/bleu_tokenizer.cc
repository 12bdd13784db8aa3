#include "skein/text/bleu_tokenizer.h"

#include <fmt/format.h>
#include <unicode/uchar.h>

#include <array>

#include "skein/base/nearest.h"
#include "skein/text/python_text.h"
#include "skein/text/western_punctuation.h"

namespace skein {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"13a", "intl", "char", "none"};

std::string tokenize_13a(std::string_view line) {
  std::string text = replace_all(line, "<skipped>", "");
  text = replace_all(text, "-\n", "");
  text = replace_all(text, "\n", " ");
  text = fmt::format(" {} ", unescape_entities(text));
  text = separate_symbols(text);
  text = separate_periods_and_commas(text);
  return separate_dashes_after_digits(text);
}

bool has_category(char32_t code_point, uint32_t mask) {
  return (U_GET_GC_MASK(static_cast<UChar32>(code_point)) & mask) != 0;
}
bool is_number(char32_t c) { return has_category(c, U_GC_N_MASK); }
bool is_punctuation(char32_t c) { return has_category(c, U_GC_P_MASK); }
bool is_symbol(char32_t c) { return has_category(c, U_GC_S_MASK); }

// (\P{N})(\p{P}) becomes "\1 \2 ".
std::u32string separate_punctuation_after_words(std::u32string_view text) {
  std::u32string result;
  for (size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (i + 1 < text.size() && !is_number(text[i]) && is_punctuation(text[i + 1])) {
      result += {U' ', text[++i], U' '};
    }
  }
  return result;
}

// (\p{P})(\P{N}) becomes " \1 \2".
std::u32string separate_punctuation_before_words(std::u32string_view text) {
  std::u32string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && is_punctuation(text[i]) && !is_number(text[i + 1])) {
      result += {U' ', text[i], U' ', text[i + 1]};
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

// (\p{S}) becomes " \1 ".
std::u32string separate_unicode_symbols(std::u32string_view text) {
  std::u32string result;
  for (const char32_t c : text) {
    if (is_symbol(c)) {
      result += {U' ', c, U' '};
    } else {
      result += c;
    }
  }
  return result;
}

std::string tokenize_international(std::string_view line) {
  std::u32string text = separate_punctuation_after_words(code_points(line));
  text = separate_punctuation_before_words(text);
  return to_utf8(separate_unicode_symbols(text));
}

std::string tokenize_characters(std::string_view line) {
  std::u32string text;
  for (const char32_t c : code_points(line)) text += {c, U' '};
  return to_utf8(text);
}

}  // namespace

BleuTokenizer bleu_tokenizer(std::string_view name) {
  return static_cast<BleuTokenizer>(require_name("BLEU tokenizer", name, kNames));
}

std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer) {
  return kNames[static_cast<size_t>(tokenizer)];
}

std::string tokenize_for_bleu(std::string_view line, BleuTokenizer tokenizer) {
  switch (tokenizer) {
    case BleuTokenizer::k13a:
      return tokenize_13a(line);
    case BleuTokenizer::kIntl:
      return tokenize_international(line);
    case BleuTokenizer::kChar:
      return tokenize_characters(line);
    case BleuTokenizer::kNone:
      break;
  }
  return std::string(line);
}

}  // namespace skein
