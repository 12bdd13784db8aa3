// The text preparation of tercom, the reference implementation of TER.
#pragma once

#include <string>
#include <string_view>

namespace skein {

struct TerTokenizerOptions {
  bool normalized = false;     // entities become characters, punctuation is set apart
  bool no_punct = false;       // . , ? : ; ! " ( ) are removed
  bool asian_support = false;  // the two above also treat CJK characters and full-width punctuation
  bool case_sensitive = false;  // otherwise everything is lower-cased
};

// `line` with white space between its tokens.
std::string tokenize_for_ter(std::string_view line, const TerTokenizerOptions& options);

}  // namespace skein
