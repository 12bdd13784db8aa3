#include "skein/train/event_encoding.h"

#include <bit>

#include "skein/train/crc32c.h"

namespace skein {
namespace {

enum class WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Field numbers of event.proto and summary.proto.
constexpr uint32_t kEventWallTime = 1;
constexpr uint32_t kEventStep = 2;
constexpr uint32_t kEventFileVersion = 3;
constexpr uint32_t kEventSummary = 5;
constexpr uint32_t kSummaryValue = 1;
constexpr uint32_t kValueTag = 1;
constexpr uint32_t kValueSimpleValue = 2;

template <typename Unsigned>
std::string little_endian(Unsigned value) {
  std::string bytes;
  for (size_t i = 0; i < sizeof(Unsigned); ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  return bytes;
}

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  bytes += static_cast<char>(value);
  return bytes;
}

std::string key(uint32_t field, WireType type) {
  return varint(field << 3 | static_cast<uint32_t>(type));
}

std::string double_field(uint32_t field, double value) {
  return key(field, WireType::kFixed64) + little_endian(std::bit_cast<uint64_t>(value));
}

std::string float_field(uint32_t field, float value) {
  return key(field, WireType::kFixed32) + little_endian(std::bit_cast<uint32_t>(value));
}

std::string integer_field(uint32_t field, int64_t value) {
  return key(field, WireType::kVarint) + varint(static_cast<uint64_t>(value));
}

std::string bytes_field(uint32_t field, std::string_view value) {
  std::string bytes = key(field, WireType::kBytes) + varint(value.size());
  bytes += value;
  return bytes;
}

}  // namespace

std::string encode_version_event(double wall_time) {
  return double_field(kEventWallTime, wall_time) + bytes_field(kEventFileVersion, "brain.Event:2");
}

std::string encode_scalar_event(const ScalarEvent& event) {
  const std::string value =
      bytes_field(kValueTag, event.tag) + float_field(kValueSimpleValue, event.value);
  return double_field(kEventWallTime, event.wall_time) + integer_field(kEventStep, event.step) +
         bytes_field(kEventSummary, bytes_field(kSummaryValue, value));
}

uint32_t masked_crc32c(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xA282EAD8; }

std::string frame_record(std::string_view payload) {
  const std::string length = little_endian(static_cast<uint64_t>(payload.size()));
  std::string record = length + little_endian(masked_crc32c(length));
  record += payload;
  return record + little_endian(masked_crc32c(payload));
}

}  // namespace skein
