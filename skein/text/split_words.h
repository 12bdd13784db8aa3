// Words as whitespace separates them.
#pragma once

#include <string_view>

namespace skein {

// Calls visit(word) for every maximal run of bytes that are not ASCII whitespace. Other spaces of
// Unicode (no-break, ideographic) are part of the word, as in other tools for tokenised text.
template <typename Visit>
void split_words(std::string_view text, Visit&& visit) {
  constexpr std::string_view kWhitespace = " \t\n\v\f\r";
  size_t begin = text.find_first_not_of(kWhitespace);
  while (begin != std::string_view::npos) {
    const size_t end = text.find_first_of(kWhitespace, begin);
    visit(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kWhitespace, end);
  }
}

}  // namespace skein
