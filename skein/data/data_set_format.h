// The layout of a .skd file, shared by its writer and its reader; docs/formats.md tells it to
// others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace skein::internal {

// A file is: this header; the token ids of sample 0 (source, then target), of sample 1, ...; zero
// bytes up to a multiple of 8; offsets. Offsets count tokens: u64 [samples * sides + 1], from 0 to
// the number of all tokens. Numbers are in the byte order of the machine that wrote them.
struct DataSetHeader {
  std::array<char, 8> magic;
  uint32_t byte_order;
  uint32_t version;
  uint32_t token_bytes;        // 2: u16, 4: u32
  uint32_t sides;              // 2: source and target; 1: target only
  uint32_t source_vocabulary;  // every source id is below it; 0 with one side
  uint32_t target_vocabulary;
  uint64_t samples;
  uint64_t source_tokens;
  uint64_t target_tokens;
  uint64_t offsets_position;  // in bytes from the begin of the file
  uint32_t tokens_checksum;   // CRC-32 of the bytes between header and offsets
  uint32_t offsets_checksum;  // CRC-32 of the offsets
  std::array<uint32_t, 13> reserved;
  uint32_t header_checksum;  // CRC-32 of the bytes before this one
};
static_assert(sizeof(DataSetHeader) == 128);

inline constexpr std::array<char, 8> kDataSetMagic = {'s', 'k', 'e', 'i', 'n', 'd', 'a', 't'};
inline constexpr uint32_t kByteOrderMark = 0x01020304;
inline constexpr uint32_t kDataSetVersion = 1;
inline constexpr uint32_t kMostShortTokens =
    1 << 16;  // vocabularies up to this size are stored as u16

uint32_t header_checksum(const DataSetHeader& header);

inline uint64_t aligned_to_8(uint64_t position) { return (position + 7) / 8 * 8; }

}  // namespace skein::internal
