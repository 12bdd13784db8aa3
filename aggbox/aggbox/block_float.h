// float32 as integers that a kernel can add: a block of values shares one exponent, the largest of
// all ranks.
//
// With N ranks and lanes of b bits, a value x of a block whose values all have |x| < 2^e becomes
// the lane round(x * S / 2^e) + S, where S is the largest power of two with 2 N S < 2^b: a sum of N
// such lanes stays inside its lane. S is a power of two so that values with few significant bits,
// whole numbers among them, lose nothing.
//
// Error of a sum: at most N/2 * 2^e / S <= N^2 * 2^(e - b + 1) where values are rounded to the
// nearest, twice that where they are rounded at random, and its rounding to float32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace aggbox {

// Values that share an exponent.
constexpr std::size_t kBlockValues = 352;

// The smallest e with |x| < 2^e for all values, plus 126; 1 if they are smaller than 2^-125; 255
// where one is NaN or infinite.
std::uint8_t block_exponent(std::span<const float> values);

constexpr std::uint8_t kNotFinite = 255;

// Lane: std::uint32_t or std::uint16_t, rounded to the nearest; std::uint8_t, rounded at random, so
// that the error of a sum over many steps is zero on average.
template <typename Lane>
class BlockFloat {
 public:
  explicit BlockFloat(std::uint32_t ranks);

  // lanes: as many as values. `exponent`: the largest block_exponent() of all ranks, not
  // kNotFinite. `seed`: of the random rounding; the same gives the same.
  void quantize(std::span<const float> values, std::uint8_t exponent, std::uint64_t seed,
                Lane* lanes) const;
  // lanes: the sum over all ranks.
  void restore(const Lane* lanes, std::uint8_t exponent, std::span<float> sums) const;
  // One rank's own lanes.
  void restore_one(const Lane* lanes, std::uint8_t exponent, std::span<float> values) const;

 private:
  std::uint32_t ranks_;
  int scale_bits_;  // S = 2^scale_bits
};

extern template class BlockFloat<std::uint32_t>;
extern template class BlockFloat<std::uint16_t>;
extern template class BlockFloat<std::uint8_t>;

}  // namespace aggbox
