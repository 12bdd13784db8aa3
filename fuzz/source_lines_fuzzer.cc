// Lines to translate: JSON lines, and text with prefixes and constraints, each a third of the
// bytes. What JSON gives must be UTF-8, and a constraint is never empty where text gives it.
#include <cstdlib>
#include <string>

#include "skein/base/error.h"
#include "skein/decode/source_reader.h"
#include "skein/text/utf8.h"

namespace skein {
namespace {

LineReader lines(std::string text) { return {memory_stream(std::move(text), "fuzz"), "fuzz"}; }

void require(bool holds) {
  if (!holds) std::abort();
}

void read_json(const std::string& bytes) {
  const auto reader = json_source(lines(bytes));
  for (SourceLine line; reader->next(line);) {
    if (!line.error.empty()) continue;
    require(find_invalid_utf8(line.source) == std::string::npos);
    require(find_invalid_utf8(line.prefix) == std::string::npos);
    for (const std::string& each : line.constraints) {
      require(find_invalid_utf8(each) == std::string::npos);
    }
  }
}

void read_text(const std::string& bytes) {
  const size_t third = bytes.size() / 3;
  SourceCompanions companions;
  companions.prefixes.emplace(lines(bytes.substr(third, third)));
  companions.constraints.emplace(lines(bytes.substr(2 * third)));
  const auto reader = text_source(lines(bytes.substr(0, third)), std::move(companions));
  for (SourceLine line; reader->next(line);) {
    for (const std::string& each : line.constraints) require(!each.empty());
  }
}

}  // namespace
}  // namespace skein

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const auto read : {skein::read_json, skein::read_text}) {
    try {
      read(bytes);
    } catch (const skein::Error&) {
    }
  }
  return 0;
}
