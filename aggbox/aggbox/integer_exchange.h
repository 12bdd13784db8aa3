// Integers combined exactly: sums modulo 2^32 or 2^64, minima, maxima, bit operations.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/exchange.h"
#include "aggbox/aggbox/reduction.h"

namespace aggbox {

// What a reduction is to the kernel: its operation on values of which some bits are flipped on
// their way in and out. A maximum is a minimum of complements, a conjunction a disjunction of them;
// unsigned numbers are ordered as signed ones without their highest bit.
template <typename T>
struct KernelReduction {
  aggbox_operation operation = AGGBOX_SUM_64;
  T flip = 0;
};

// Throws Error for kMean, which integers do not have.
template <typename T>
KernelReduction<T> kernel_reduction(Reduction reduction) {
  constexpr bool kWide = sizeof(T) == 8;
  constexpr T kAll = static_cast<T>(~T{0});
  constexpr T kSign = std::is_signed_v<T> ? T{0} : static_cast<T>(T{1} << (8 * sizeof(T) - 1));
  switch (reduction) {
    case Reduction::kSum:
      return {kWide ? AGGBOX_SUM_64 : AGGBOX_SUM_32, 0};
    case Reduction::kMin:
      return {kWide ? AGGBOX_MIN_64 : AGGBOX_MIN_32, kSign};
    case Reduction::kMax:
      return {kWide ? AGGBOX_MIN_64 : AGGBOX_MIN_32, static_cast<T>(kAll ^ kSign)};
    case Reduction::kOr:
      return {AGGBOX_OR, 0};
    case Reduction::kAnd:
      return {AGGBOX_OR, kAll};
    case Reduction::kXor:
      return {AGGBOX_XOR, 0};
    case Reduction::kMean:
      break;
  }
  throw Error("integers have no mean here; expected sum, min, max, and, or, xor");
}

template <typename T>
class IntegerExchange : public Exchange {
 public:
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
  static constexpr std::size_t kPerChunk = AGGBOX_MAX_WORDS * sizeof(std::uint64_t) / sizeof(T);

  // values: this rank's, and afterwards the result.
  explicit IntegerExchange(std::span<T> values, Reduction reduction = Reduction::kSum)
      : values_(values), reduction_(kernel_reduction<T>(reduction)) {}

  std::size_t chunks() const override { return (values_.size() + kPerChunk - 1) / kPerChunk; }
  aggbox_operation operation() const override { return reduction_.operation; }
  std::size_t words(std::size_t chunk) const override {
    return words_for(values(chunk).size_bytes());
  }

  void put(std::size_t chunk, std::uint64_t* words) const override {
    const std::span<T> from = values(chunk);
    std::memcpy(words, from.data(), from.size_bytes());
    std::memset(reinterpret_cast<char*>(words) + from.size_bytes(), 0,
                words_for(from.size_bytes()) * 8 - from.size_bytes());
    flip(reinterpret_cast<T*>(words), from.size());
  }
  void get(std::size_t chunk, const std::uint64_t* words) override {
    const std::span<T> to = values(chunk);
    std::memcpy(to.data(), words, to.size_bytes());
    flip(to.data(), to.size());
  }

 private:
  std::span<T> values(std::size_t chunk) const {
    const std::size_t first = chunk * kPerChunk;
    return values_.subspan(first, std::min(kPerChunk, values_.size() - first));
  }
  void flip(T* values, std::size_t size) const {
    if (reduction_.flip == 0) return;
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<T>(values[i] ^ reduction_.flip);
  }

  std::span<T> values_;
  KernelReduction<T> reduction_;
};

}  // namespace aggbox
