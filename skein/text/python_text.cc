#include "skein/text/python_text.h"

#include <unicode/locid.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "skein/text/utf8.h"

namespace skein {
namespace {

// Reads the code point at `position` and moves past it.
char32_t next_code_point(std::string_view text, size_t& position) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto size = static_cast<int64_t>(text.size());
  auto index = static_cast<int64_t>(position);
  UChar32 code_point = 0;
  U8_NEXT_OR_FFFD(bytes, index, size, code_point);
  position = static_cast<size_t>(index);
  return static_cast<char32_t>(code_point);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string result;
  result.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    result.push_back(next_code_point(text, position));
  }
  return result;
}

std::string to_utf8(std::u32string_view code_points) {
  std::string result;
  result.reserve(code_points.size());
  for (const char32_t code_point : code_points) append_utf8(code_point, result);
  return result;
}

bool is_python_space(char32_t c) {
  if (c < 0x80) return c == 0x20 || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  size_t word_begin = 0;
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    if (!is_python_space(next_code_point(text, position))) continue;
    if (begin > word_begin) words.push_back(text.substr(word_begin, begin - word_begin));
    word_begin = position;
  }
  if (text.size() > word_begin) words.push_back(text.substr(word_begin));
  return words;
}

std::string_view trim_end(std::string_view text) {
  size_t end = 0;
  for (size_t position = 0; position < text.size();) {
    if (!is_python_space(next_code_point(text, position))) end = position;
  }
  return text.substr(0, end);
}

std::string lower_case(std::string_view text) {
  std::string result;
  if (is_ascii(text)) {
    result.assign(text);
    for (char& c : result) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
  }
  icu::UnicodeString unicode =
      icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())});
  unicode.toLower(icu::Locale::getRoot()).toUTF8String(result);
  return result;
}

}  // namespace skein
