#include "aggbox/aggbox/float_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "aggbox/aggbox/block_float.h"
#include "aggbox/aggbox/exchange.h"
#include "aggbox/aggbox/gather_exchange.h"

namespace aggbox {
namespace {

std::span<const std::uint8_t> bytes_of(std::span<const float> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

template <typename Float>
std::span<Float> block_of(std::span<Float> values, std::size_t block) {
  if (values.empty()) return values;
  const std::size_t first = block * kBlockValues;
  return values.subspan(first, std::min(kBlockValues, values.size() - first));
}

void sum_as_they_are(Exchanger& exchanger, std::uint32_t rank, std::uint32_t size,
                     std::span<float> values, double factor) {
  GatherExchange all(rank, size, bytes_of(values));
  exchanger.run(all);
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

template <typename Lane>
class BlockFloatExchange : public Exchange {
 public:
  static constexpr std::size_t kBlocks =
      AGGBOX_MAX_WORDS * sizeof(std::uint64_t) / sizeof(Lane) / kBlockValues;  // of a chunk

  BlockFloatExchange(std::uint32_t rank, std::uint32_t size, std::span<float> values,
                     std::span<const std::uint8_t> exponents, const FloatSum& sum)
      : format_(size), rank_(rank), values_(values), exponents_(exponents), sum_(sum) {}

  std::size_t chunks() const override { return (exponents_.size() + kBlocks - 1) / kBlocks; }
  aggbox_operation operation() const override { return AGGBOX_SUM_64; }
  std::size_t words(std::size_t chunk) const override {
    const std::size_t first = chunk * kBlocks * kBlockValues;
    return words_for(std::min(kBlocks * kBlockValues, values_.size() - first) * sizeof(Lane));
  }

  void put(std::size_t chunk, std::uint64_t* words) const override {
    auto* lanes = reinterpret_cast<Lane*>(words);
    Lane* end = reinterpret_cast<Lane*>(words + this->words(chunk));
    for_blocks(chunk, [&](std::size_t block) {
      const std::span<float> from = block_of(values_, block);
      if (exponents_[block] == kNotFinite) {
        std::fill_n(lanes, from.size(), Lane{0});
      } else {
        format_.quantize(from, exponents_[block], seed_of(block), lanes);
        keep_loss(block, lanes);
      }
      lanes += from.size();
    });
    std::fill(lanes, end, Lane{0});
  }
  void get(std::size_t chunk, const std::uint64_t* words) override {
    const auto* lanes = reinterpret_cast<const Lane*>(words);
    for_blocks(chunk, [&](std::size_t block) {
      const std::span<float> to = block_of(values_, block);
      if (exponents_[block] != kNotFinite) {
        format_.restore(lanes, exponents_[block], to);
        if (sum_.factor != 1) {
          for (float& value : to) value = static_cast<float>(value * sum_.factor);
        }
      }
      lanes += to.size();
    });
  }

 private:
  template <typename Body>
  void for_blocks(std::size_t chunk, Body body) const {
    const std::size_t end = std::min((chunk + 1) * kBlocks, exponents_.size());
    for (std::size_t block = chunk * kBlocks; block < end; ++block) body(block);
  }
  // Another on every rank, so that their errors don't add up.
  std::uint64_t seed_of(std::size_t block) const {
    return (sum_.seed * AGGBOX_MAX_RANKS + rank_) * 0x9e3779b97f4a7c15 + block * kBlockValues;
  }
  void keep_loss(std::size_t block, const Lane* lanes) const {
    const std::span<float> residual = block_of(sum_.residual, block);
    if (residual.empty()) return;
    format_.restore_one(lanes, exponents_[block], residual);
    const std::span<float> from = block_of(values_, block);
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] = from[i] - residual[i];
  }

  BlockFloat<Lane> format_;
  std::uint32_t rank_;
  std::span<float> values_;
  std::span<const std::uint8_t> exponents_;
  FloatSum sum_;
};

std::vector<std::uint8_t> largest_exponents(Exchanger& exchanger, std::uint32_t rank,
                                            std::uint32_t size, std::span<const float> values) {
  std::vector<std::uint8_t> exponents((values.size() + kBlockValues - 1) / kBlockValues);
  for (std::size_t block = 0; block < exponents.size(); ++block)
    exponents[block] = block_exponent(block_of(values, block));
  GatherExchange all(rank, size, exponents);
  exchanger.run(all);
  for (std::uint32_t other = 0; other < size; ++other) {
    const auto theirs = all.of(other);
    for (std::size_t block = 0; block < exponents.size(); ++block)
      exponents[block] = std::max(exponents[block], theirs[block]);
  }
  return exponents;
}

template <typename Lane>
void sum_blocks(Exchanger& exchanger, std::uint32_t rank, std::uint32_t size,
                std::span<float> values, std::span<const std::uint8_t> exponents,
                const FloatSum& sum) {
  BlockFloatExchange<Lane> exchange(rank, size, values, exponents, sum);
  exchanger.run(exchange);
}

}  // namespace

void sum_floats(Exchanger& exchanger, std::uint32_t rank, std::uint32_t size,
                std::span<float> values, const FloatSum& sum) {
  for (std::size_t i = 0; i < sum.residual.size(); ++i) {
    values[i] += sum.residual[i];
    sum.residual[i] = 0;
  }
  if (values.size() * size <= kBlockValues) {
    sum_as_they_are(exchanger, rank, size, values, sum.factor);
    return;
  }
  const std::vector<std::uint8_t> exponents = largest_exponents(exchanger, rank, size, values);
  switch (sum.lanes) {
    case Lanes::kInt32:
      sum_blocks<std::uint32_t>(exchanger, rank, size, values, exponents, sum);
      break;
    case Lanes::kInt16:
      sum_blocks<std::uint16_t>(exchanger, rank, size, values, exponents, sum);
      break;
    case Lanes::kInt8:
      sum_blocks<std::uint8_t>(exchanger, rank, size, values, exponents, sum);
      break;
  }
  for (std::size_t block = 0; block < exponents.size(); ++block) {
    if (exponents[block] == kNotFinite)
      sum_as_they_are(exchanger, rank, size, block_of(values, block), sum.factor);
  }
}

}  // namespace aggbox
