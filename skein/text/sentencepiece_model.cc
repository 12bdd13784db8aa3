#include "skein/text/sentencepiece_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "skein/base/error.h"
#include "skein/text/protobuf.h"

namespace skein {
namespace {

// ModelProto
constexpr uint64_t kPieces = 1;
constexpr uint64_t kTrainerSpec = 2;
constexpr uint64_t kNormalizationNote =
    0x534B;  // "SK", in the range 200 to 2^29 - 1 for extensions
// ModelProto.SentencePiece
constexpr uint64_t kPieceText = 1;
constexpr uint64_t kPieceScore = 2;
constexpr uint64_t kPieceKind = 3;
// TrainerSpec
constexpr uint64_t kModelType = 3;

[[noreturn]] void fail(const std::string& origin) {
  throw FormatError(
      fmt::format("{}: this is neither a SentencePiece model nor a '#skein-vocabulary' file, or it "
                  "was cut short; "
                  "name a file that `skein vocab` wrote",
                  origin));
}

std::vector<ProtobufField> fields_of(std::string_view message, const std::string& origin) {
  std::optional<std::vector<ProtobufField>> fields = parse_protobuf(message);
  if (!fields) fail(origin);
  return *std::move(fields);
}

void add_piece(std::string_view message, const std::string& origin, SentencePieceModel& model) {
  std::string_view text;
  auto kind = SentencePieceKind::kNormal;
  float score = 0;
  for (const ProtobufField& field : fields_of(message, origin)) {
    if (field.number == kPieceText) text = field.bytes;
    if (field.number == kPieceScore)
      score = std::bit_cast<float>(static_cast<uint32_t>(field.value));
    if (field.number == kPieceKind) {
      if (field.value < 1 || field.value > 6) fail(origin);
      kind = static_cast<SentencePieceKind>(field.value);
    }
  }
  model.pieces.emplace_back(text);
  model.kinds.push_back(kind);
  model.scores.push_back(score);
}

std::string model_type(std::string_view trainer_spec, const std::string& origin) {
  constexpr std::array<const char*, 4> kTypes = {"unigram", "bpe", "word", "char"};
  uint64_t type = 1;
  for (const ProtobufField& field : fields_of(trainer_spec, origin)) {
    if (field.number == kModelType) type = field.value;
  }
  if (type < 1 || type > kTypes.size()) fail(origin);
  return kTypes[type - 1];
}

Normalization noted_normalization(std::string_view name, const std::string& origin) {
  const std::vector<std::string> names = normalization_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) fail(origin);
  return normalization_from_name(name);
}

}  // namespace

SentencePieceModel SentencePieceModel::parse(std::string_view content, const std::string& origin) {
  SentencePieceModel model;
  model.type = "unigram";
  for (const ProtobufField& field : fields_of(content, origin)) {
    if (field.number == kPieces) add_piece(field.bytes, origin, model);
    if (field.number == kTrainerSpec) model.type = model_type(field.bytes, origin);
    if (field.number == kNormalizationNote)
      model.normalization = noted_normalization(field.bytes, origin);
  }
  if (model.pieces.empty()) fail(origin);
  return model;
}

void mark_normalization(Normalization form, std::string& content) {
  append_protobuf_field(kNormalizationNote, normalization_name(form), content);
}

}  // namespace skein
