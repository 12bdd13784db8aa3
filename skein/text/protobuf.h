// The fields of a Protocol Buffers message in wire format, as far as SentencePiece's model files
// need it: its library keeps the message's classes to itself. Format:
// https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

struct ProtobufField {
  uint64_t number = 0;
  uint64_t value = 0;      // of varint and fixed-width fields
  std::string_view bytes;  // of strings and messages; points into the message
};

// Every field in the order of the file; nothing if `message` is malformed.
std::optional<std::vector<ProtobufField>> parse_protobuf(std::string_view message);

// Appends a string or message field.
void append_protobuf_field(uint64_t number, std::string_view bytes, std::string& message);

}  // namespace skein
