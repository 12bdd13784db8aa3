#include "skein/text/protobuf.h"

namespace skein {
namespace {

constexpr uint64_t kVarint = 0;
constexpr uint64_t kFixed64 = 1;
constexpr uint64_t kLengthDelimited = 2;
constexpr uint64_t kFixed32 = 5;

std::optional<uint64_t> take_varint(std::string_view& rest) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(rest[0]);
    rest.remove_prefix(1);
    value |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<uint64_t> take_fixed(std::string_view& rest, size_t width) {
  if (rest.size() < width) return std::nullopt;
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i) value |= uint64_t{static_cast<uint8_t>(rest[i])} << (8 * i);
  rest.remove_prefix(width);
  return value;
}

std::optional<std::string_view> take_bytes(std::string_view& rest) {
  const std::optional<uint64_t> length = take_varint(rest);
  if (!length || *length > rest.size()) return std::nullopt;
  const std::string_view bytes = rest.substr(0, *length);
  rest.remove_prefix(*length);
  return bytes;
}

std::optional<ProtobufField> take_field(std::string_view& rest) {
  const std::optional<uint64_t> tag = take_varint(rest);
  if (!tag || *tag >> 3 == 0) return std::nullopt;
  ProtobufField field{.number = *tag >> 3, .value = 0, .bytes = {}};
  const uint64_t wire_type = *tag & 7;
  if (wire_type == kLengthDelimited) {
    const std::optional<std::string_view> bytes = take_bytes(rest);
    if (!bytes) return std::nullopt;
    field.bytes = *bytes;
    return field;
  }
  std::optional<uint64_t> value;
  if (wire_type == kVarint) value = take_varint(rest);
  if (wire_type == kFixed64) value = take_fixed(rest, 8);
  if (wire_type == kFixed32) value = take_fixed(rest, 4);
  if (!value) return std::nullopt;
  field.value = *value;
  return field;
}

void append_varint(uint64_t value, std::string& message) {
  for (; value >= 0x80; value >>= 7) message += static_cast<char>(0x80 | (value & 0x7F));
  message += static_cast<char>(value);
}

}  // namespace

std::optional<std::vector<ProtobufField>> parse_protobuf(std::string_view message) {
  std::vector<ProtobufField> fields;
  while (!message.empty()) {
    const std::optional<ProtobufField> field = take_field(message);
    if (!field) return std::nullopt;
    fields.push_back(*field);
  }
  return fields;
}

void append_protobuf_field(uint64_t number, std::string_view bytes, std::string& message) {
  append_varint(number << 3 | kLengthDelimited, message);
  append_varint(bytes.size(), message);
  message += bytes;
}

}  // namespace skein
