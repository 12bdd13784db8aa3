// Scripts that write words without spaces between them.
#pragma once

#include <string_view>

namespace skein {

// Whether `text` (UTF-8) has a character of Han, Hiragana, Katakana, Thai, Lao, Khmer or Myanmar,
// where what lies between spaces may be a whole sentence.
bool has_spaceless_script(std::string_view text);

}  // namespace skein
