#include "read_to_end.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return skein::fuzz_reader(data, size, [](std::string bytes, const skein::CorpusOptions& options) {
    return skein::read_json_lines(
        skein::LineReader(skein::memory_stream(std::move(bytes), "fuzz"), "fuzz"), options);
  });
}
