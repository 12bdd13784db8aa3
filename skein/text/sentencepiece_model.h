// What a SentencePiece model file says about itself beside what its library shows.
// Fields: https://github.com/google/sentencepiece/blob/v0.1.97/src/sentencepiece_model.proto
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skein/text/normalize.h"

namespace skein {

enum class SentencePieceKind : uint8_t {  // ModelProto.SentencePiece.Type
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

struct SentencePieceModel {
  std::string type;                                    // "unigram", "bpe", "word" or "char"
  std::vector<std::string> pieces;                     // in the order of the file
  std::vector<SentencePieceKind> kinds;                // of the pieces
  std::vector<float> scores;                           // of the pieces
  Normalization normalization = Normalization::kNone;  // see mark_normalization()

  // Throws FormatError if `content` is no such file. `origin` names it.
  static SentencePieceModel parse(std::string_view content, const std::string& origin);
};

// Notes in the model file that text is to be brought into this form before the model sees it. The
// note is a field from the range that the format reserves for extensions: other programs read the
// file as if it were not there.
void mark_normalization(Normalization form, std::string& content);

}  // namespace skein
