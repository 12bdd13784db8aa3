// Element types of tensors.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace skein {

enum class DType : uint8_t { kF32, kBF16, kI32, kI64, kS8, kU8 };

size_t size_of(DType type);
std::string_view name_of(DType type);

// bfloat16: the upper half of a float32.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  // Rounds to nearest, ties to even; NaN stays NaN.
  explicit BFloat16(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    bits = (word & 0x7FFFFFFF) > 0x7F800000
               ? static_cast<uint16_t>(word >> 16 | 0x40)
               : static_cast<uint16_t>((word + 0x7FFF + (word >> 16 & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kF32;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::kBF16;
};
template <>
struct DTypeOf<int32_t> {
  static constexpr DType value = DType::kI32;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = DType::kI64;
};
template <>
struct DTypeOf<int8_t> {
  static constexpr DType value = DType::kS8;
};
template <>
struct DTypeOf<uint8_t> {
  static constexpr DType value = DType::kU8;
};

}  // namespace skein
