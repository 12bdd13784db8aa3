// Sums of integers, exact modulo 2^32 or 2^64.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

#include "aggbox/aggbox/exchange.h"

namespace aggbox {

template <typename T>
class IntegerExchange : public Exchange {
 public:
  static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
  static constexpr std::size_t kPerChunk = AGGBOX_MAX_WORDS * sizeof(std::uint64_t) / sizeof(T);

  // values: this rank's, and afterwards the sums.
  explicit IntegerExchange(std::span<T> values) : values_(values) {}

  std::size_t chunks() const override { return (values_.size() + kPerChunk - 1) / kPerChunk; }
  aggbox_lanes lanes() const override {
    return sizeof(T) == 4 ? AGGBOX_LANES_32 : AGGBOX_LANES_NO_CARRY;
  }
  std::size_t words(std::size_t chunk) const override {
    return words_for(values(chunk).size_bytes());
  }

  void put(std::size_t chunk, std::uint64_t* words) const override {
    const std::span<T> from = values(chunk);
    std::memcpy(words, from.data(), from.size_bytes());
    std::memset(reinterpret_cast<char*>(words) + from.size_bytes(), 0,
                words_for(from.size_bytes()) * 8 - from.size_bytes());
  }
  void get(std::size_t chunk, const std::uint64_t* words) override {
    const std::span<T> to = values(chunk);
    std::memcpy(to.data(), words, to.size_bytes());
  }

 private:
  std::span<T> values(std::size_t chunk) const {
    const std::size_t first = chunk * kPerChunk;
    return values_.subspan(first, std::min(kPerChunk, values_.size() - first));
  }

  std::span<T> values_;
};

}  // namespace aggbox
