#include "skein/train/safetensors_header.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>

#include "skein/base/checksum.h"

namespace skein {
namespace {

static_assert(std::endian::native == std::endian::little,
              "safetensors values are little-endian and are mapped as they are");

constexpr std::array<std::pair<DType, std::string_view>, 6> kTypes = {{{DType::kF32, "F32"},
                                                                       {DType::kBF16, "BF16"},
                                                                       {DType::kI32, "I32"},
                                                                       {DType::kI64, "I64"},
                                                                       {DType::kS8, "I8"},
                                                                       {DType::kU8, "U8"}}};

}  // namespace

std::string_view safetensors_name(DType type) {
  for (const auto& [known, name] : kTypes) {
    if (known == type) return name;
  }
  return {};
}

std::optional<DType> safetensors_type(std::string_view name) {
  for (const auto& [type, known] : kTypes) {
    if (known == name) return type;
  }
  return std::nullopt;
}

size_t checksum_place(std::string_view header) {
  const std::string before = fmt::format("\"{}\":\"", kChecksumKey);
  const size_t found = header.find(before);
  if (found == std::string_view::npos) return found;
  const size_t place = found + before.size();
  const bool whole =
      place + kChecksumDigits < header.size() && header[place + kChecksumDigits] == '"';
  return whole ? place : std::string_view::npos;
}

uint32_t safetensors_checksum(std::span<const std::byte> length_and_header,
                              std::span<const std::byte> values, size_t place) {
  const size_t digits = kSafetensorsLengthBytes + place;
  const std::string zeros(kChecksumDigits, '0');
  uint32_t sum = crc32(length_and_header.first(digits));
  sum = crc32(std::as_bytes(std::span(zeros)), sum);
  sum = crc32(length_and_header.subspan(digits + kChecksumDigits), sum);
  return crc32(values, sum);
}

}  // namespace skein
