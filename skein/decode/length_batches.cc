#include "skein/decode/length_batches.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace skein {
namespace {

// With less than this for each (some 16 sentences), two threads are as fast on one batch.
constexpr double kWorthAWorker = 256;

}  // namespace

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

size_t even_batch_size(std::span<const size_t> lengths, size_t most, size_t workers) {
  if (lengths.empty()) return most;
  // A sum of sizes without bounds, which may be larger than an integer.
  const double total = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  const double busy =
      std::clamp(std::floor(total / kWorthAWorker), 1.0, static_cast<double>(workers));
  const double rounds = std::ceil(total / (static_cast<double>(most) * busy));
  const double share = std::ceil(total / (rounds * busy));
  const auto longest = static_cast<double>(*std::max_element(lengths.begin(), lengths.end()));
  // A batch ends before the sentence that would be too much, so that it may lack almost that much.
  const double size = share + longest - 1;
  return size < static_cast<double>(most) ? static_cast<size_t>(size) : most;
}

}  // namespace skein
