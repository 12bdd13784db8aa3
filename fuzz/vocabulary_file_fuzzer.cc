// The text form of vocab.model: what is accepted must write itself back and tokenise.
#include <cstdlib>

#include "skein/base/error.h"
#include "skein/text/tokenizers.h"
#include "skein/text/vocabulary_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  try {
    const auto file = skein::VocabularyFile::parse(content, "vocab.model");
    const auto again = skein::VocabularyFile::parse(file.serialize(), "vocab.model");
    if (again.serialize() != file.serialize()) std::abort();
    for (const char* type : {"word", "char", "codes"}) {
      const auto tokenizer = skein::tokenizers().get(type).load(content, "vocab.model");
      std::vector<int32_t> ids;
      tokenizer->encode("the \u00fcber goose", ids);
      tokenizer->decode(ids);
    }
  } catch (const skein::FormatError&) {
  }
  return 0;
}
