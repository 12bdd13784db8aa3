// The bytes of a TensorBoard event file: Event messages (tensorflow/core/util/event.proto) in the
// protocol buffer wire format, each framed as a TFRecord.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skein {

// wall_time: seconds since 1970.
struct ScalarEvent {
  double wall_time = 0;
  int64_t step = 0;
  std::string_view tag;
  float value = 0;
};

// Event{wall_time, file_version: "brain.Event:2"}, the first record of every file.
std::string encode_version_event(double wall_time);

// Event{wall_time, step, summary{value{tag, simple_value}}}.
std::string encode_scalar_event(const ScalarEvent& event);

// Length (u64), masked CRC-32C of the length (u32), payload, masked CRC-32C of the payload; numbers
// are little-endian.
std::string frame_record(std::string_view payload);

// A checksum that is safe to store beside other checksums: rotated by 15 bits, plus a constant.
uint32_t masked_crc32c(std::string_view bytes);

}  // namespace skein
