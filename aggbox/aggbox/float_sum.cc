#include "aggbox/aggbox/float_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "aggbox/aggbox/gather_exchange.h"

namespace aggbox {
namespace {

constexpr std::size_t kPerBlock = AGGBOX_MAX_WORDS * sizeof(std::uint64_t) / sizeof(float);

std::span<const std::uint8_t> bytes_of(std::span<const float> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

void sum_as_they_are(Pipeline& pipeline, std::uint32_t rank, std::uint32_t size,
                     std::span<float> values, double factor) {
  GatherExchange all(rank, size, bytes_of(values));
  pipeline.run(all);
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    for (std::uint32_t other = 0; other < size; ++other) {
      float value = 0;
      std::memcpy(&value, all.of(other).data() + i * sizeof value, sizeof value);
      sum += value;
    }
    // One NaN of many, whichever the processor made.
    values[i] = std::isnan(sum) ? std::numeric_limits<float>::quiet_NaN()
                                : static_cast<float>(sum * factor);
  }
}

class BlockFloatExchange : public Exchange {
 public:
  BlockFloatExchange(std::uint32_t size, std::span<float> values,
                     std::span<const std::uint8_t> exponents, double factor)
      : format_(size), values_(values), exponents_(exponents), factor_(factor) {}

  std::size_t chunks() const override { return exponents_.size(); }
  aggbox_lanes lanes() const override { return AGGBOX_LANES_NO_CARRY; }
  std::size_t words(std::size_t chunk) const override {
    return words_for(block(chunk).size_bytes());
  }

  void put(std::size_t chunk, std::uint64_t* words) const override {
    auto* lanes = reinterpret_cast<std::uint32_t*>(words);
    const std::span<float> from = block(chunk);
    std::size_t written = 0;
    if (exponents_[chunk] != kNotFinite) {
      format_.quantize(from, exponents_[chunk], lanes);
      written = from.size();
    }
    std::fill(lanes + written, lanes + 2 * this->words(chunk), 0);
  }
  void get(std::size_t chunk, const std::uint64_t* words) override {
    if (exponents_[chunk] == kNotFinite) return;
    const std::span<float> to = block(chunk);
    format_.restore(reinterpret_cast<const std::uint32_t*>(words), exponents_[chunk], to);
    if (factor_ == 1) return;
    for (float& value : to) value = static_cast<float>(value * factor_);
  }

  std::span<float> block(std::size_t chunk) const {
    const std::size_t first = chunk * kPerBlock;
    return values_.subspan(first, std::min(kPerBlock, values_.size() - first));
  }

 private:
  BlockFloat format_;
  std::span<float> values_;
  std::span<const std::uint8_t> exponents_;
  double factor_;
};

std::vector<std::uint8_t> largest_exponents(Pipeline& pipeline, std::uint32_t rank,
                                            std::uint32_t size, std::span<const float> values) {
  std::vector<std::uint8_t> exponents((values.size() + kPerBlock - 1) / kPerBlock);
  for (std::size_t block = 0; block < exponents.size(); ++block) {
    const std::size_t first = block * kPerBlock;
    exponents[block] =
        block_exponent(values.subspan(first, std::min(kPerBlock, values.size() - first)));
  }
  GatherExchange all(rank, size, exponents);
  pipeline.run(all);
  for (std::uint32_t other = 0; other < size; ++other) {
    const auto theirs = all.of(other);
    for (std::size_t block = 0; block < exponents.size(); ++block)
      exponents[block] = std::max(exponents[block], theirs[block]);
  }
  return exponents;
}

}  // namespace

void sum_floats(Pipeline& pipeline, std::uint32_t rank, std::uint32_t size, std::span<float> values,
                double factor) {
  if (values.size() * size <= kPerBlock) {
    sum_as_they_are(pipeline, rank, size, values, factor);
    return;
  }
  const std::vector<std::uint8_t> exponents = largest_exponents(pipeline, rank, size, values);
  BlockFloatExchange blocks(size, values, exponents, factor);
  pipeline.run(blocks);
  for (std::size_t block = 0; block < exponents.size(); ++block) {
    if (exponents[block] == kNotFinite)
      sum_as_they_are(pipeline, rank, size, blocks.block(block), factor);
  }
}

}  // namespace aggbox
