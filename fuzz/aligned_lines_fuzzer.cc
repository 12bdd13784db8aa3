// The first half of the bytes is one side, the second the other; either may be compressed.
#include "read_to_end.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return skein::fuzz_reader(data, size, [](std::string bytes, const skein::CorpusOptions& options) {
    const auto lines = [](std::string text) {
      return skein::LineReader(skein::memory_stream(std::move(text), "fuzz"), "fuzz");
    };
    if (options.monolingual()) return skein::read_lines(lines(bytes));
    const size_t half = bytes.size() / 2;
    return skein::read_aligned_lines(lines(bytes.substr(0, half)), lines(bytes.substr(half)));
  });
}
