// What every fuzzer of a reader of pairs does: read to the end, over bad records. An Error is what
// bad bytes deserve; anything else is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "skein/base/error.h"
#include "skein/data/readers.h"
#include "skein/text/utf8.h"

namespace skein {

inline void require_text(const std::string& text) {
  if (find_invalid_utf8(text) != std::string::npos) std::abort();
}

using OpenReader =
    std::function<std::unique_ptr<PairReader>(std::string bytes, const CorpusOptions&)>;

inline void read_to_end(PairReader& reader) {
  for (;;) {
    Pair pair;
    try {
      if (!reader.next(pair)) return;
    } catch (const RecordError&) {
      continue;
    }
    require_text(pair.source);
    require_text(pair.target);
  }
}

// Reads the bytes as a corpus of two languages and as one of one.
inline int fuzz_reader(const uint8_t* data, size_t size, const OpenReader& open) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const char* source : {"en", ""}) {
    try {
      read_to_end(*open(bytes, {.source_language = source, .target_language = "de"}));
    } catch (const Error&) {
    }
  }
  return 0;
}

}  // namespace skein
