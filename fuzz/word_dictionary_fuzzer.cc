// Dictionaries of words: whatever is taken is UTF-8 without white space.
#include <cstdlib>
#include <string>

#include "skein/base/error.h"
#include "skein/decode/word_dictionary.h"
#include "skein/text/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    skein::LineReader lines(skein::memory_stream(bytes, "fuzz"), "fuzz");
    const skein::WordDictionary dictionary(lines);
    for (const char* word : {"a", "\u00fc", "unknown"}) {
      const std::string translated = dictionary.translate(word);
      if (translated.empty() || translated.find_first_of(" \t\n") != std::string::npos)
        std::abort();
      if (skein::find_invalid_utf8(translated) != std::string::npos) std::abort();
    }
  } catch (const skein::Error&) {
  }
  return 0;
}
