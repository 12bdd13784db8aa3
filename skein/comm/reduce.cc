#include "skein/comm/reduce.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace skein {
namespace {

constexpr size_t kBlock = 1024;  // elements; the sums stay in the first cache

template <typename T>
using Accumulator = std::conditional_t<std::is_same_v<T, float>, double, T>;

template <typename T>
void add(const T* values, size_t count, Accumulator<T>* sums) {
  for (size_t i = 0; i < count; ++i) sums[i] += static_cast<Accumulator<T>>(values[i]);
}

template <typename T>
void take_larger(const T* values, size_t count, Accumulator<T>* largest) {
  for (size_t i = 0; i < count; ++i) {
    largest[i] = std::max(largest[i], static_cast<Accumulator<T>>(values[i]));
  }
}

}  // namespace

template <typename T>
void reduce(std::span<const T* const> ranks, Reduction reduction, std::span<T> out) {
  std::array<Accumulator<T>, kBlock> results;
  for (size_t begin = 0; begin < out.size(); begin += kBlock) {
    const size_t count = std::min(kBlock, out.size() - begin);
    std::copy_n(ranks[0] + begin, count, results.begin());
    for (const T* rank : ranks.subspan(1)) {
      if (reduction == Reduction::kSum) {
        add<T>(rank + begin, count, results.data());
      } else {
        take_larger<T>(rank + begin, count, results.data());
      }
    }
    for (size_t i = 0; i < count; ++i) out[begin + i] = static_cast<T>(results[i]);
  }
}

template void reduce<float>(std::span<const float* const>, Reduction, std::span<float>);
template void reduce<double>(std::span<const double* const>, Reduction, std::span<double>);
template void reduce<int64_t>(std::span<const int64_t* const>, Reduction, std::span<int64_t>);

}  // namespace skein
