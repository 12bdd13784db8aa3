#include "aggbox/aggbox/block_float.h"

#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aggbox/aggbox/block_float.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef AGGBOX_POWER_OF_TWO
#define AGGBOX_POWER_OF_TWO
namespace aggbox {
namespace {

// A power of two from 2^-252 to 2^252 as two factors, so that neither leaves float's range.
struct PowerOfTwo {
  explicit PowerOfTwo(int power) : first(of(power / 2)), second(of(power - power / 2)) {}
  static float of(int power) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(127 + power) << 23);
  }
  float first;
  float second;
};

}  // namespace
}  // namespace aggbox
#endif

HWY_BEFORE_NAMESPACE();
namespace aggbox {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
template <typename F>
using Signed = hn::RebindToSigned<F>;
template <typename F>
using Unsigned = hn::RebindToUnsigned<F>;

// body(tag, i): the tag's lanes from i on; one by one at the end.
template <typename Body>
HWY_INLINE void for_lanes(std::size_t size, Body&& body) {
  const hn::ScalableTag<float> all;
  std::size_t i = 0;
  for (; i + hn::Lanes(all) <= size; i += hn::Lanes(all)) body(all, i);
  for (; i < size; ++i) body(hn::CappedTag<float, 1>(), i);
}

// Without signs, floats are ordered as their bits.
std::uint32_t largest_bits(const float* values, std::size_t size) {
  std::uint32_t result = 0;
  const hn::ScalableTag<float> all;
  auto largest = hn::Zero(all);
  for_lanes(size, [&](auto f, std::size_t i) HWY_ATTR {
    const auto bits = hn::BitCast(Unsigned<decltype(f)>(), hn::Abs(hn::LoadU(f, values + i)));
    if constexpr (std::is_same_v<decltype(f), hn::ScalableTag<float>>) {
      const Unsigned<decltype(f)> u;
      largest = hn::BitCast(f, hn::Max(hn::BitCast(u, largest), bits));
    } else {
      result = std::max(result, static_cast<std::uint32_t>(hn::GetLane(bits)));
    }
  });
  const Unsigned<hn::ScalableTag<float>> u;
  return std::max(result, hn::GetLane(hn::MaxOfLanes(u, hn::BitCast(u, largest))));
}

// Products by powers of two are exact, unless they are so small that they round to 0 below.
void quantize(const float* values, std::size_t size, int power, std::uint32_t offset,
              std::uint32_t* lanes) {
  const PowerOfTwo scale(power);
  for_lanes(size, [&](auto f, std::size_t i) HWY_ATTR {
    const Unsigned<decltype(f)> u;
    const auto x = hn::Mul(hn::Mul(hn::LoadU(f, values + i), hn::Set(f, scale.first)),
                           hn::Set(f, scale.second));
    // To the nearest, ties to even.
    hn::StoreU(hn::Add(hn::BitCast(u, hn::NearestInt(x)), hn::Set(u, offset)), u, lanes + i);
  });
}

// Rounds once, where the whole number becomes a float.
void restore(const std::uint32_t* lanes, std::size_t size, int power, std::uint32_t offset,
             float* sums) {
  const PowerOfTwo unit(power);
  for_lanes(size, [&](auto f, std::size_t i) HWY_ATTR {
    const Unsigned<decltype(f)> u;
    const auto whole =
        hn::BitCast(Signed<decltype(f)>(), hn::Sub(hn::LoadU(u, lanes + i), hn::Set(u, offset)));
    const auto x = hn::Mul(hn::ConvertTo(f, whole), hn::Set(f, unit.first));
    hn::StoreU(hn::Mul(x, hn::Set(f, unit.second)), f, sums + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace aggbox
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aggbox {
namespace {

HWY_EXPORT(largest_bits);
HWY_EXPORT(quantize);
HWY_EXPORT(restore);

constexpr int kExponentBias = 126;

// Uniform in [-1/2, 1/2), of 24 bits: the finisher of MurmurHash3 (Appleby 2011) over a counter.
float dither(std::uint32_t counter) {
  std::uint32_t x = counter;
  x = (x ^ x >> 16) * 0x85ebca6bU;
  x = (x ^ x >> 13) * 0xc2b2ae35U;
  x ^= x >> 16;
  return static_cast<float>(x >> 8) * 0x1p-24F - 0.5F;
}

// To the nearest: the sum with 1.5 * 2^23 has the whole number in its low bits.
template <typename Lane>
Lane narrow_lane(float x, std::uint32_t offset) {
  return static_cast<Lane>(std::bit_cast<std::uint32_t>(x + 0x1.8p23F) + offset);
}

template <typename Lane>
void restore_narrow(const Lane* lanes, int power, std::int32_t offset, std::span<float> sums) {
  const PowerOfTwo unit(power);
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = static_cast<float>(lanes[i] - offset) * unit.first * unit.second;
}

}  // namespace

std::uint8_t block_exponent(std::span<const float> values) {
  const std::uint32_t largest = HWY_DYNAMIC_DISPATCH(largest_bits)(values.data(), values.size());
  // A biased exponent b means |x| < 2^(b - 126).
  return static_cast<std::uint8_t>(std::max(largest >> 23, 1U));
}

template <typename Lane>
BlockFloat<Lane>::BlockFloat(std::uint32_t ranks)
    : ranks_(ranks), scale_bits_(8 * sizeof(Lane) - 1 - std::bit_width(ranks)) {}

template <typename Lane>
void BlockFloat<Lane>::quantize(std::span<const float> values, std::uint8_t exponent,
                                std::uint64_t seed, Lane* lanes) const {
  const int power = scale_bits_ - (exponent - kExponentBias);
  const std::uint32_t offset = 1U << scale_bits_;
  if constexpr (sizeof(Lane) == 4) {
    HWY_DYNAMIC_DISPATCH(quantize)(values.data(), values.size(), power, offset, lanes);
  } else {
    const PowerOfTwo scale(power);
    for (std::size_t i = 0; i < values.size(); ++i) {
      float x = values[i] * scale.first * scale.second;
      if constexpr (sizeof(Lane) == 1) x += dither(static_cast<std::uint32_t>(seed + i));
      lanes[i] = narrow_lane<Lane>(x, offset);
    }
  }
}

template <typename Lane>
void BlockFloat<Lane>::restore(const Lane* lanes, std::uint8_t exponent,
                               std::span<float> sums) const {
  const int power = exponent - kExponentBias - scale_bits_;
  if constexpr (sizeof(Lane) == 4) {
    HWY_DYNAMIC_DISPATCH(restore)
    (lanes, sums.size(), power, ranks_ << scale_bits_, sums.data());
  } else {
    restore_narrow(lanes, power, static_cast<std::int32_t>(ranks_ << scale_bits_), sums);
  }
}

template <typename Lane>
void BlockFloat<Lane>::restore_one(const Lane* lanes, std::uint8_t exponent,
                                   std::span<float> values) const {
  const int power = exponent - kExponentBias - scale_bits_;
  if constexpr (sizeof(Lane) == 4) {
    HWY_DYNAMIC_DISPATCH(restore)(lanes, values.size(), power, 1U << scale_bits_, values.data());
  } else {
    restore_narrow(lanes, power, 1 << scale_bits_, values);
  }
}

template class BlockFloat<std::uint32_t>;
template class BlockFloat<std::uint16_t>;
template class BlockFloat<std::uint8_t>;

}  // namespace aggbox
#endif
