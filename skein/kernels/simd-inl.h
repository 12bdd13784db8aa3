// Vectors of f32 from tensors of f32 or bf16, for every instruction set (Highway compiles this file
// once for each).
#if defined(SKEIN_KERNELS_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKEIN_KERNELS_SIMD_INL_H_
#undef SKEIN_KERNELS_SIMD_INL_H_
#else
#define SKEIN_KERNELS_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include <cstring>

#include "skein/kernels/dropout_hash.h"
#include "skein/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using FV = hn::Vec<F>;
using U = hn::RebindToUnsigned<F>;
using I = hn::RebindToSigned<F>;
using Half = hn::Rebind<uint16_t, F>;

// How many lanes of a vector are inside the tensor: all, or the first `count`.
struct Full {};
struct Part {
  size_t count;
};

// Calls body(index, Full()) for whole vectors of [begin, end) and body(index, Part{n}) for the
// rest.
template <typename Body>
HWY_INLINE void for_lanes(int64_t begin, int64_t end, Body&& body) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(F()));
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) body(i, Full());
  if (i < end) body(i, Part{static_cast<size_t>(end - i)});
}

HWY_INLINE FV from_half(hn::Vec<Half> bits) {
  return hn::BitCast(F(), hn::ShiftLeft<16>(hn::PromoteTo(U(), bits)));
}
// To nearest, ties to even; NaN stays NaN.
HWY_INLINE hn::Vec<Half> to_half(FV value) {
  const U u;
  const auto word = hn::BitCast(u, value);
  const auto odd = hn::And(hn::ShiftRight<16>(word), hn::Set(u, 1));
  const auto rounded = hn::Add(hn::Add(word, hn::Set(u, 0x7FFF)), odd);
  const auto quiet = hn::Or(word, hn::Set(u, 0x400000));
  const auto nan = hn::RebindMask(u, hn::IsNaN(value));
  const auto high = hn::ShiftRight<16>(hn::IfThenElse(nan, quiet, rounded));
  return hn::DemoteTo(Half(), hn::BitCast(I(), high));
}

HWY_INLINE FV load(const Elements& e, int64_t index, Full) {
  if (e.half)
    return from_half(hn::LoadU(Half(), reinterpret_cast<const uint16_t*>(e.data) + index));
  return hn::LoadU(F(), reinterpret_cast<const float*>(e.data) + index);
}
// The other lanes are zero.
HWY_INLINE FV load(const Elements& e, int64_t index, Part part) {
  HWY_ALIGN float values[hn::MaxLanes(F())] = {};
  if (e.half) {
    HWY_ALIGN uint16_t halves[hn::MaxLanes(F())] = {};
    std::memcpy(halves, e.data + 2 * index, 2 * part.count);
    return from_half(hn::Load(Half(), halves));
  }
  std::memcpy(values, e.data + 4 * index, 4 * part.count);
  return hn::Load(F(), values);
}

HWY_INLINE void store(FV value, const Elements& e, int64_t index, Full) {
  if (e.half) {
    hn::StoreU(to_half(value), Half(), reinterpret_cast<uint16_t*>(e.data) + index);
  } else {
    hn::StoreU(value, F(), reinterpret_cast<float*>(e.data) + index);
  }
}
HWY_INLINE void store(FV value, const Elements& e, int64_t index, Part part) {
  if (e.half) {
    HWY_ALIGN uint16_t halves[hn::MaxLanes(F())];
    hn::Store(to_half(value), Half(), halves);
    std::memcpy(e.data + 2 * index, halves, 2 * part.count);
  } else {
    HWY_ALIGN float values[hn::MaxLanes(F())];
    hn::Store(value, F(), values);
    std::memcpy(e.data + 4 * index, values, 4 * part.count);
  }
}

HWY_INLINE FV zero() { return hn::Zero(F()); }
HWY_INLINE FV set(float value) { return hn::Set(F(), value); }
// NaN stays NaN; of hn::Max it depends on the instruction set which argument's it keeps.
HWY_INLINE FV at_least(float low, FV x) { return hn::IfThenElse(hn::Lt(x, set(low)), set(low), x); }
HWY_INLINE float sum_of_lanes(FV value) { return hn::GetLane(hn::SumOfLanes(F(), value)); }
HWY_INLINE float max_of_lanes(FV value) { return hn::GetLane(hn::MaxOfLanes(F(), value)); }
// Lanes outside the tensor replaced by `other`.
HWY_INLINE FV keep(FV value, FV, Full) { return value; }
HWY_INLINE FV keep(FV value, FV other, Part part) {
  return hn::IfThenElse(hn::FirstN(F(), part.count), value, other);
}

// dropout_factor() of the elements index, index + 1, ...
HWY_INLINE FV dropout_factors(const DropoutKeys& keys, int64_t index) {
  const U u;
  // Iota of a constant is a constant; of a variable it goes through memory (Highway 1.0).
  const auto indices = hn::Add(hn::Iota(u, 0), hn::Set(u, static_cast<uint32_t>(index)));
  auto bits = hn::Xor(indices, hn::Set(u, keys.first));
  bits = hn::Mul(hn::Xor(bits, hn::ShiftRight<16>(bits)), hn::Set(u, 0x21F0AAADu));
  bits = hn::Xor(hn::Xor(bits, hn::Set(u, keys.second)), hn::ShiftRight<15>(bits));
  bits = hn::Mul(bits, hn::Set(u, 0x735A2D97u));
  bits = hn::Xor(bits, hn::ShiftRight<15>(bits));
  const auto dropped = hn::Lt(hn::BitCast(I(), bits), hn::Set(I(), keys.threshold));
  return hn::IfThenZeroElse(hn::RebindMask(F(), dropped), set(keys.factor));
}

}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#endif
