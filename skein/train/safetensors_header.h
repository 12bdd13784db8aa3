// What reader and writer of safetensors share.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "skein/tensor/dtype.h"

namespace skein {

constexpr size_t kSafetensorsLengthBytes = 8;
constexpr std::string_view kChecksumKey = "skein.crc32";

// "F32"; no type of ours: empty.
std::string_view safetensors_name(DType type);
std::optional<DType> safetensors_type(std::string_view name);

// The checksum covers the whole file with its own eight digits as zeros. Returns the place of the
// first digit in the header text; npos if there is none.
size_t checksum_place(std::string_view header);
constexpr size_t kChecksumDigits = 8;

// `file` begins with the length and a header of `header_bytes`; the digits count as zeros.
uint32_t safetensors_checksum(std::span<const std::byte> length_and_header,
                              std::span<const std::byte> values, size_t place);

}  // namespace skein
