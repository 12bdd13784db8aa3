#include "skein/decode/length_batches.h"

#include <algorithm>
#include <numeric>

namespace skein {

std::vector<std::vector<size_t>> length_batches(std::span<const size_t> lengths, size_t most) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<size_t>> batches;
  size_t sum = 0;
  for (const size_t index : order) {
    sum += lengths[index];
    if (batches.empty() || sum > most) {
      batches.emplace_back();
      sum = lengths[index];
    }
    batches.back().push_back(index);
  }
  return batches;
}

}  // namespace skein
