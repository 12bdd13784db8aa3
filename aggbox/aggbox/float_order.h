// Floats as integers: in the same order, and half as long.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggbox/aggbox/group.h"

namespace aggbox {

constexpr std::int32_t kAllButSign = 0x7fffffff;

// values: become the bits of integers whose order is theirs, with -0 < 0 and every NaN, made one,
// above all. The span is of the same memory.
inline std::span<std::int32_t> to_order(std::span<float> values) {
  constexpr std::int32_t kInfinity = 0x7f800000, kNan = 0x7fc00000;
  for (float& value : values) {
    const auto x = std::bit_cast<std::int32_t>(value);
    value =
        std::bit_cast<float>((x & kAllButSign) > kInfinity ? kNan : x ^ (x >> 31 & kAllButSign));
  }
  return {reinterpret_cast<std::int32_t*>(values.data()), values.size()};
}

// And back.
inline void from_order(std::span<float> values) {
  for (float& value : values) {
    const auto x = std::bit_cast<std::int32_t>(value);
    value = std::bit_cast<float>(x ^ (x >> 31 & kAllButSign));
  }
}

inline std::vector<float> widened(std::span<const Bfloat16> values) {
  std::vector<float> wide(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    wide[i] = std::bit_cast<float>(std::uint32_t{values[i].bits} << 16);
  return wide;
}

// To the nearest, ties to even.
inline void narrow(std::span<const float> wide, std::span<Bfloat16> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(wide[i]);
    const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
    values[i].bits =
        static_cast<std::uint16_t>(is_nan ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
}

}  // namespace aggbox
