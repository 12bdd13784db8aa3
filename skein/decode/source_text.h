// A line of text as what a model translates: usually one sentence of tokens, more where the line is
// longer than the model's positions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skein/text/tokenizer.h"

namespace skein {

// What becomes of a line that is longer than the model's positions.
enum class LongLines {
  kSplit,     // cut in parts that are translated one by one
  kTruncate,  // only the beginning is translated
  kRefuse,    // an error
};
// "split", "truncate", "refuse". Throws UsageError for any other name.
LongLines long_lines_from_name(std::string_view name);

struct SourcePart {
  std::string text;             // as it stands in the line
  std::vector<int32_t> tokens;  // end in kEosId
  bool space_before = false;    // a space parts it from the part before
  bool cut = false;             // the tokens are those of the beginning of the text
};

struct SourceText {
  std::vector<SourcePart> parts;  // none: a line without content
  bool truncated = false;
};

// max_length: most tokens of a part, eos included, at least 2. A line is split near its middle at
// the end of a sentence, else behind a comma or the like, else at a space, else between two
// characters, and the halves again where they are still too long. Throws FormatError if the line is
// not UTF-8, Error if it is too long and `policy` is kRefuse.
SourceText encode_source(std::string_view line, const Tokenizer& tokenizer, int64_t max_length,
                         LongLines policy);

}  // namespace skein
