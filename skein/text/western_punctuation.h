// The steps that the tokenisers of mteval-v13a (NIST) and tercom share: they put spaces around the
// punctuation of Western languages. Each is one substitution over the whole text, left to right
// without overlap; the notation below is that of regular expressions. ASCII only; other bytes pass.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// Every occurrence of `from`, which is not empty, becomes `to`.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

// &quot; &amp; &lt; &gt; become the characters that they stand for, in this order.
std::string unescape_entities(std::string_view text);

// All ASCII punctuation but ' , - . is set apart: [{-~[-` -&(-+:-@/] becomes " x ".
std::string separate_symbols(std::string_view text);

// ([^0-9])([.,]) becomes "\1 \2 ", then ([.,])([^0-9]) becomes " \1 \2": numbers stay whole.
std::string separate_periods_and_commas(std::string_view text);

// ([0-9])(-) becomes "\1 \2 ".
std::string separate_dashes_after_digits(std::string_view text);

}  // namespace skein
