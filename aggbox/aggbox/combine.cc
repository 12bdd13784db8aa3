#include "aggbox/aggbox/combine.h"

#include <cstddef>

#include "aggbox/aggbox/error.h"

namespace aggbox {
namespace {

template <typename Combination>
void combine_words(std::span<std::uint64_t> sum, std::span<const std::uint64_t> words,
                   Combination combination) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = combination(sum[i], words[i]);
}

template <typename Integer>
Integer smaller(Integer a, Integer b) {
  return a < b ? a : b;
}

std::uint64_t smaller_lanes(std::uint64_t a, std::uint64_t b) {
  const auto low = smaller(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
  const auto high = smaller(static_cast<std::int32_t>(a >> 32), static_cast<std::int32_t>(b >> 32));
  return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 | static_cast<std::uint32_t>(low);
}

std::uint64_t sum_of_lanes(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kHighest = 0x8000000080000000;
  return ((a & ~kHighest) + (b & ~kHighest)) ^ ((a ^ b) & kHighest);
}

}  // namespace

void combine(aggbox_operation operation, std::span<std::uint64_t> sum,
             std::span<const std::uint64_t> words) {
  using Word = std::uint64_t;
  switch (operation) {
    case AGGBOX_SUM_64:
      return combine_words(sum, words, [](Word a, Word b) { return a + b; });
    case AGGBOX_SUM_32:
      return combine_words(sum, words, sum_of_lanes);
    case AGGBOX_OR:
      return combine_words(sum, words, [](Word a, Word b) { return a | b; });
    case AGGBOX_XOR:
      return combine_words(sum, words, [](Word a, Word b) { return a ^ b; });
    case AGGBOX_MIN_64:
      return combine_words(sum, words, [](Word a, Word b) {
        return static_cast<Word>(
            smaller(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
      });
    case AGGBOX_MIN_32:
      return combine_words(sum, words, smaller_lanes);
    case AGGBOX_OPERATIONS:
      break;
  }
  throw Error("words have no such operation");
}

}  // namespace aggbox
