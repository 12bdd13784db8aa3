// Text operations that give what Python's `str` gives, to the letter: the published scores of BLEU,
// chrF and TER were computed with it. Malformed UTF-8 decodes to U+FFFD; nothing here throws for
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein {

std::u32string code_points(std::string_view text);
std::string to_utf8(std::u32string_view code_points);

// str.isspace for one code point; wider than ASCII (U+00A0, U+2009, U+3000, also U+001C to U+001F).
bool is_python_space(char32_t code_point);

// str.split(): the pieces between white space, none of them empty. They point into `text`.
std::vector<std::string_view> split_words(std::string_view text);

// str.rstrip().
std::string_view trim_end(std::string_view text);

// str.lower(): Unicode's full mapping, free of locale.
std::string lower_case(std::string_view text);

}  // namespace skein
