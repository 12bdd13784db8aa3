#include "aggbox/aggbox/block_float.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "aggbox/aggbox/block_float.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

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

// A power of two from 2^-252 to 2^252 as two factors, so that neither leaves float's range.
struct PowerOfTwo {
  explicit PowerOfTwo(int power) : first(of(power / 2)), second(of(power - power / 2)) {}
  static float of(int power) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(127 + power) << 23);
  }
  float first;
  float second;
};

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

}  // namespace

std::uint8_t block_exponent(std::span<const float> values) {
  const std::uint32_t largest = HWY_DYNAMIC_DISPATCH(largest_bits)(values.data(), values.size());
  // A biased exponent b means |x| < 2^(b - 126).
  return static_cast<std::uint8_t>(std::max(largest >> 23, 1U));
}

BlockFloat::BlockFloat(std::uint32_t ranks)
    : ranks_(ranks), scale_bits_(31 - std::bit_width(ranks)) {}

void BlockFloat::quantize(std::span<const float> values, std::uint8_t exponent,
                          std::uint32_t* lanes) const {
  HWY_DYNAMIC_DISPATCH(quantize)
  (values.data(), values.size(), scale_bits_ - (exponent - kExponentBias), 1U << scale_bits_,
   lanes);
}

void BlockFloat::restore(const std::uint32_t* lanes, std::uint8_t exponent,
                         std::span<float> sums) const {
  HWY_DYNAMIC_DISPATCH(restore)
  (lanes, sums.size(), exponent - kExponentBias - scale_bits_, ranks_ << scale_bits_, sums.data());
}

}  // namespace aggbox
#endif
