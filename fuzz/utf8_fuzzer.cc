// UTF-8 validation, and what relies on it: characters and normal forms.
#include <cstdlib>

#include "skein/text/normalize.h"
#include "skein/text/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t invalid = skein::find_invalid_utf8(text);
  const std::string_view valid = text.substr(0, invalid);
  std::string again;
  for (const std::string_view character : skein::Characters(valid)) {
    skein::append_utf8(skein::decode_utf8(character), again);
  }
  if (again != valid) std::abort();
  for (const auto form : {skein::Normalization::kNfc, skein::Normalization::kNfkc}) {
    const std::string once = skein::normalize(valid, form);
    if (skein::find_invalid_utf8(once) != std::string::npos) std::abort();
    if (skein::normalize(once, form) != once) std::abort();
  }
  return 0;
}
