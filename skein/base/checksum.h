// CRC-32 (zlib's) of large content, on all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skein {

// The checksum of all bytes so far, where `before` is that of the bytes before these.
uint32_t crc32(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace skein
