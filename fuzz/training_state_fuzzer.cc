// state.json of a checkpoint: what is accepted must write itself back.
#include <cstdlib>
#include <string>

#include "skein/base/error.h"
#include "skein/train/training_state.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string written = to_json(skein::training_state_from_json(text, "state.json"));
    if (to_json(skein::training_state_from_json(written, "again")) != written) std::abort();
  } catch (const skein::FormatError&) {
  }
  return 0;
}
