// Translates text as it comes. Of a file, many lines are read at a time and translated together; a
// person or a slow program gets each line's translation before the next line is there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "skein/decode/on_bad_line.h"
#include "skein/decode/source_reader.h"
#include "skein/decode/translation_format.h"
#include "skein/decode/translator.h"

namespace skein {

struct StreamOptions {
  TranslationStyle style = {};
  OnBadLine on_bad_line = OnBadLine::kStop;
  int64_t window = 4096;  // lines read at a time, at most
};

struct StreamCounts {
  int64_t lines = 0;
  int64_t empty = 0;      // lines without content, whose translation is empty
  int64_t skipped = 0;    // that have no translation, only a reason why
  int64_t split = 0;      // longer than the model's positions, translated in parts
  int64_t truncated = 0;  // longer than the model's positions, translated in part
  int64_t cut = 0;        // translations that the maximum length ended
  int64_t shorter = 0;    // that should be as long as their sources, and could not
  int64_t unmet = 0;      // translations without the constraints of their lines
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;  // of best hypotheses; both count eos
};

// `write` gets the output of some lines, in their order, and should pass it on at once; `progress`,
// if any, is called after it. Throws what the reader and `write` throw; FormatError or Error with
// `file:line` for a bad line unless those are skipped: the lines before it are translated and
// written first.
StreamCounts translate_stream(SourceReader& lines, const Translator& translator,
                              const StreamOptions& options,
                              const std::function<void(std::string_view)>& write,
                              const std::function<void(const StreamCounts&)>& progress = {});

}  // namespace skein
