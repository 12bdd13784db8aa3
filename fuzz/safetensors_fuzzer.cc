// Whatever the bytes: the header of a safetensors file is read or refused, and what was read lies
// inside.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "skein/base/error.h"
#include "skein/train/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  try {
    const skein::SafetensorsLayout layout = skein::read_safetensors_layout(file, "input");
    for (const skein::SafetensorsEntry& entry : layout.entries) {
      if (entry.begin > entry.end || entry.end > size) std::abort();
    }
  } catch (const skein::FormatError&) {
    return 0;
  }
  return 0;
}
