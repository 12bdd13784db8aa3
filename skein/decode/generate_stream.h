// Goes on with prompts as they come, a line a prompt. Of a file, many are read at a time and
// together; where text is to be seen as it grows, one after another.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "skein/data/line_reader.h"
#include "skein/decode/generator.h"
#include "skein/decode/on_bad_line.h"
#include "skein/decode/translation_format.h"

namespace skein {

struct GenerateStreamOptions {
  TranslationFormat format = TranslationFormat::kText;
  OnBadLine on_bad_line = OnBadLine::kStop;
  int64_t window = 1024;  // prompts read at a time, at most
  bool growing =
      false;  // text is written token by token; only with kText, a beam of one, no constraints
};

struct GenerateCounts {
  int64_t prompts = 0;
  int64_t skipped = 0;    // not UTF-8, refused for their length, or with constraints unmet
  int64_t truncated = 0;  // whose beginning was left out
  int64_t unmet = 0;      // gone on with without the constraints
  int64_t tokens = 0;     // of prompts
  int64_t unknown = 0;    // of those, not in the vocabulary
};

// `write` gets the output in the order of the prompts and should pass it on at once. In text and
// n-best lists as translations are written, the prompt included as it was given; a prompt that was
// skipped is an empty line, and not in an n-best list. JSON:
//   {"line": 1, "prompt": "...", "hypotheses": [{"text": "...", "score": -0.5, "tokens": ["..."],
//    "token_scores": [-0.5], "cut": true}], "error": "..."}
// where tokens, their scores and their score are of what follows the prompt. Throws what the reader
// and `write` throw; FormatError with file:line for a bad prompt unless those are skipped.
GenerateCounts generate_stream(LineReader& prompts, const Generator& generator,
                               const GenerateStreamOptions& options,
                               const std::function<void(std::string_view)>& write);

}  // namespace skein
