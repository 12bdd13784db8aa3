#include "skein/text/western_punctuation.h"

namespace skein {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_period_or_comma(char c) { return c == '.' || c == ','; }

bool is_symbol(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

// Replaces neighbours (a, b) with is_first(a) and is_second(b): `before` a `between` b `after`.
template <typename First, typename Second>
std::string separate_pairs(std::string_view text, First is_first, Second is_second,
                           std::string_view before, std::string_view after) {
  std::string result;
  result.reserve(text.size() + text.size() / 4);
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && is_first(text[i]) && is_second(text[i + 1])) {
      result += before;
      result += text[i];
      result += ' ';
      result += text[++i];
      result += after;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  result.reserve(text.size());
  size_t begin = 0;
  for (size_t found = text.find(from); found != std::string_view::npos;
       found = text.find(from, begin)) {
    result += text.substr(begin, found - begin);
    result += to;
    begin = found + from.size();
  }
  result += text.substr(begin);
  return result;
}

std::string unescape_entities(std::string_view text) {
  if (text.find('&') == std::string_view::npos) return std::string(text);
  std::string result = replace_all(text, "&quot;", "\"");
  result = replace_all(result, "&amp;", "&");
  result = replace_all(result, "&lt;", "<");
  return replace_all(result, "&gt;", ">");
}

std::string separate_symbols(std::string_view text) {
  std::string result;
  result.reserve(2 * text.size());
  for (const char c : text) {
    if (is_symbol(c)) {
      result += {' ', c, ' '};
    } else {
      result += c;
    }
  }
  return result;
}

std::string separate_periods_and_commas(std::string_view text) {
  const auto is_no_digit = [](char c) { return !is_digit(c); };
  const std::string after_words = separate_pairs(text, is_no_digit, is_period_or_comma, "", " ");
  return separate_pairs(after_words, is_period_or_comma, is_no_digit, " ", "");
}

std::string separate_dashes_after_digits(std::string_view text) {
  return separate_pairs(
      text, is_digit, [](char c) { return c == '-'; }, "", " ");
}

}  // namespace skein
