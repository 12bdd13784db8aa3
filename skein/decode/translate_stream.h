// Translates text as it comes. Of a file, many lines are read at a time and translated together; a
// person or a slow program gets each line's translation before the next line is there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "skein/data/line_reader.h"
#include "skein/decode/translation_format.h"
#include "skein/decode/translator.h"

namespace skein {

enum class OnBadLine {
  kStop,  // throw
  kSkip,  // go on; its translation is an empty line, with the reason in JSON
};

struct StreamOptions {
  TranslationFormat format = TranslationFormat::kText;
  OnBadLine on_bad_line = OnBadLine::kStop;
  int64_t window = 4096;  // lines read at a time, at most
};

struct StreamCounts {
  int64_t lines = 0;
  int64_t empty = 0;      // lines without content, whose translation is empty
  int64_t skipped = 0;    // not UTF-8, or refused for their length
  int64_t split = 0;      // longer than the model's positions, translated in parts
  int64_t truncated = 0;  // longer than the model's positions, translated in part
  int64_t cut = 0;        // translations that the maximum length ended
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;  // of best hypotheses; both count eos
};

// `write` gets the output of some lines, in their order, and should pass it on at once; `progress`,
// if any, is called after it. Throws what the reader and `write` throw; FormatError or Error with
// `file:line` for a bad line unless those are skipped: the lines before it are translated and
// written first.
StreamCounts translate_stream(LineReader& lines, const Translator& translator,
                              const StreamOptions& options,
                              const std::function<void(std::string_view)>& write,
                              const std::function<void(const StreamCounts&)>& progress = {});

}  // namespace skein
