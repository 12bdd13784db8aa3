#include "skein/train/crc32c.h"

#include <array>

namespace skein {
namespace {

// 0x1EDC6F41 with its bits reversed, as the checksum goes through bytes from the lowest bit.
constexpr uint32_t kPolynomial = 0x82F63B78;

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kPolynomial : 0);
    }
    table[byte] = remainder;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = make_table();

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t remainder = 0xFFFFFFFF;
  for (const char c : bytes) {
    remainder = (remainder >> 8) ^ kTable[(remainder ^ static_cast<uint8_t>(c)) & 0xFF];
  }
  return ~remainder;
}

}  // namespace skein
