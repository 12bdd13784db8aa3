// Codes files of subword-nmt and fastBPE. The parts of a word must always make up the word.
#include <cstdlib>

#include "skein/base/error.h"
#include "skein/text/bpe_codes.h"

namespace {

void check_parts(const skein::BpeCodes& codes, const skein::BpeCodes::Part& part) {
  skein::BpeCodes::Part left;
  skein::BpeCodes::Part right;
  if (!codes.unmerge(part, left, right)) return;
  if (std::string(left.text) + std::string(right.text) != part.text) std::abort();
  check_parts(codes, left);
  check_parts(codes, right);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto codes = skein::BpeCodes::parse({reinterpret_cast<const char*>(data), size}, "codes");
    for (const std::string_view word : {"the", "a", "abababab</w>", "\u00fcber"}) {
      std::string joined;
      for (const skein::BpeCodes::Part& part : codes.split(word)) {
        joined += part.text;
        check_parts(codes, part);
      }
      if (joined != word) std::abort();
    }
  } catch (const skein::FormatError&) {
  }
  return 0;
}
