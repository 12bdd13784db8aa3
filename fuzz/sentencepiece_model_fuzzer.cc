// Our reading of SentencePiece model files.
#include "skein/base/error.h"
#include "skein/text/sentencepiece_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    skein::SentencePieceModel::parse({reinterpret_cast<const char*>(data), size}, "vocab.model");
  } catch (const skein::FormatError&) {
  }
  return 0;
}
