// CRC-32 (zlib's) of large content, on all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace skein {

// The checksum of all bytes so far, where `before` is that of the bytes before these.
uint32_t crc32(std::span<const std::byte> bytes, uint32_t before = 0);

// In eight hexadecimal digits.
std::string crc32_text(std::string_view content);
// Throws FileError.
std::string file_crc32_text(const std::filesystem::path& path);

}  // namespace skein
