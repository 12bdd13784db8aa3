// float32 as integers that a kernel can add: a block of values shares one exponent, the largest of
// all ranks.
//
// With N ranks, a value x of a block whose values all have |x| < 2^e becomes the 32-bit lane
// round(x * S / 2^e) + S, where S is the largest power of two with 2 N S < 2^32: a sum of N such
// lanes stays inside its lane. S is a power of two so that values with few significant bits, whole
// numbers among them, lose nothing.
//
// Error of a sum: at most N/2 * 2^e / S <= N^2 * 2^(e-31), and its rounding to float32.
#pragma once

#include <cstdint>
#include <span>

namespace aggbox {

// The smallest e with |x| < 2^e for all values, plus 126; 1 if they are smaller than 2^-125; 255
// where one is NaN or infinite.
std::uint8_t block_exponent(std::span<const float> values);

constexpr std::uint8_t kNotFinite = 255;

class BlockFloat {
 public:
  explicit BlockFloat(std::uint32_t ranks);

  // lanes: as many as values. `exponent`: the largest block_exponent() of all ranks, not
  // kNotFinite.
  void quantize(std::span<const float> values, std::uint8_t exponent, std::uint32_t* lanes) const;
  // lanes: the sum over all ranks.
  void restore(const std::uint32_t* lanes, std::uint8_t exponent, std::span<float> sums) const;

 private:
  std::uint32_t ranks_;
  int scale_bits_;  // S = 2^scale_bits
};

}  // namespace aggbox
