#include "skein/text/ngram_numbering.h"

#include <algorithm>
#include <bit>

namespace skein {

NgramNumbering::NgramNumbering(std::span<const std::vector<uint32_t>> sequences)
    : sequences_(sequences) {
  size_t positions = 0;
  for (const auto& sequence : sequences) {
    numbers_.emplace_back(sequence.size());
    positions += sequence.size();
  }
  const size_t capacity = std::bit_ceil(std::max<size_t>(2 * positions, 2));
  slots_.resize(capacity);
  hash_shift_ = 64 - std::countr_zero(capacity);
  next_order();
}

void NgramNumbering::next_order() {
  ++order_;
  distinct_ = 0;
  std::fill(slots_.begin(), slots_.end(), Slot{});
  for (size_t s = 0; s < sequences_.size(); ++s) {
    const std::vector<uint32_t>& symbols = sequences_[s];
    std::vector<uint32_t>& numbers = numbers_[s];
    numbers.resize(symbols.size() >= order_ ? symbols.size() - order_ + 1 : 0);
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = number_of(numbers[i], symbols[i + order_ - 1]);
    }
  }
}

uint32_t NgramNumbering::number_of(uint32_t prefix, uint32_t symbol) {
  const uint64_t key = static_cast<uint64_t>(prefix) << 32 | symbol;
  // Fibonacci hashing (Knuth, volume 3, 6.4): the product's high bits spread neighbouring keys.
  size_t slot = key * 0x9E3779B97F4A7C15u >> hash_shift_;
  while (slots_[slot].number != kEmpty && slots_[slot].key != key) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  if (slots_[slot].number == kEmpty) slots_[slot] = {.key = key, .number = distinct_++};
  return slots_[slot].number;
}

std::vector<uint32_t> count_ngrams(const NgramNumbering& numbering, size_t sequence) {
  std::vector<uint32_t> counts(numbering.distinct());
  for (const uint32_t number : numbering.numbers(sequence)) ++counts[number];
  return counts;
}

}  // namespace skein
