#include "skein/data/mixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "skein/base/error.h"
#include "skein/base/random.h"

namespace skein {
namespace {

void require_positive(const char* setting, double value) {
  if (std::isfinite(value) && value > 0) return;
  throw UsageError(fmt::format("{} is {}; expected a number above 0", setting, value));
}

// A pass over all samples, in its own random order.
std::vector<uint32_t> shuffled_pass(int64_t size, uint64_t seed, int64_t pass) {
  std::vector<uint32_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0U);
  Random(seed, static_cast<uint64_t>(pass)).shuffle(std::span(order));
  return order;
}

}  // namespace

std::vector<double> mixture_rates(std::span<const int64_t> sizes, std::span<const double> weights,
                                  double temperature) {
  require_positive("data.temperature", temperature);
  if (!weights.empty() && weights.size() != sizes.size()) {
    throw UsageError(
        fmt::format("data.weights has {} numbers for {} folders of data; give one each",
                    weights.size(), sizes.size()));
  }
  for (const double weight : weights) require_positive("a number of data.weights", weight);
  const int64_t largest = *std::max_element(sizes.begin(), sizes.end());
  std::vector<double> rates;
  rates.reserve(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const double share = static_cast<double>(sizes[i]) / static_cast<double>(largest);
    rates.push_back((weights.empty() ? 1 : weights[i]) * std::pow(share, 1 / temperature - 1));
  }
  return rates;
}

std::vector<uint32_t> samples_of_epoch(int64_t size, double rate, uint64_t seed, int64_t epoch) {
  const int64_t count = std::max<int64_t>(1, std::llround(rate * static_cast<double>(size)));
  std::vector<uint32_t> chosen;
  chosen.reserve(static_cast<size_t>(count));
  for (int64_t at = epoch * count; at < (epoch + 1) * count;) {
    const int64_t begin = at % size, end = std::min(size, begin + (epoch + 1) * count - at);
    // A whole pass needs no order.
    if (end - begin == size) {
      for (int64_t i = 0; i < size; ++i) chosen.push_back(static_cast<uint32_t>(i));
    } else {
      const std::vector<uint32_t> order = shuffled_pass(size, seed, at / size);
      chosen.insert(chosen.end(), order.begin() + begin, order.begin() + end);
    }
    at += end - begin;
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace skein
