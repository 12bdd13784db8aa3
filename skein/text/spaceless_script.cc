#include "skein/text/spaceless_script.h"

#include <unicode/uscript.h>

#include <algorithm>

#include "skein/text/python_text.h"

namespace skein {
namespace {

bool is_spaceless(char32_t code_point) {
  UErrorCode code = U_ZERO_ERROR;
  switch (uscript_getScript(static_cast<UChar32>(code_point), &code)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool has_spaceless_script(std::string_view text) {
  const std::u32string characters = code_points(text);
  return std::any_of(characters.begin(), characters.end(), is_spaceless);
}

}  // namespace skein
