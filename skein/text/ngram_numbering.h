// Numbers the n-grams of a few sequences of symbols, one order after another, so that counting them
// is counting in an array. An n-gram is the number of its first n-1 symbols and its last symbol, so
// every order costs one table look-up a position, whatever n is, and equality is exact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skein {

class NgramNumbering {
 public:
  // Starts at order 1. `sequences` must outlive this object.
  explicit NgramNumbering(std::span<const std::vector<uint32_t>> sequences);

  // Goes on to the next order.
  void next_order();

  // The number of the n-gram that begins at each position: [length - order + 1], or empty.
  std::span<const uint32_t> numbers(size_t sequence) const { return numbers_[sequence]; }
  // All numbers are below this.
  uint32_t distinct() const { return distinct_; }

 private:
  struct Slot {
    uint64_t key = 0;
    uint32_t number = kEmpty;
  };
  static constexpr uint32_t kEmpty = UINT32_MAX;

  uint32_t number_of(uint32_t prefix, uint32_t symbol);

  std::span<const std::vector<uint32_t>> sequences_;
  size_t order_ = 0;
  std::vector<std::vector<uint32_t>> numbers_;
  std::vector<Slot> slots_;  // open addressing, at most half full
  int hash_shift_ = 0;
  uint32_t distinct_ = 0;
};

// How often each number occurs: [distinct].
std::vector<uint32_t> count_ngrams(const NgramNumbering& numbering, size_t sequence);

}  // namespace skein
