// config.toml of a model or of `skein train --config`: what is accepted must write itself back.
#include <cstdlib>
#include <string>

#include "skein/base/error.h"
#include "skein/train/options.h"

namespace {

std::string rewritten(const std::string& text) {
  skein::TrainOptions options(skein::model_name_in(text, "config.toml"));
  options.settings().read_toml(text, "config.toml");
  return options.to_toml();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::string written;
  try {
    written = rewritten(text);
  } catch (const skein::Error&) {
    return 0;
  }
  if (rewritten(written) != written) std::abort();
  return 0;
}
