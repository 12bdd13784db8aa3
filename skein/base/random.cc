#include "skein/base/random.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace skein {
namespace {

// Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", Philox4x32 with 10 rounds.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53} * counter[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(product1),
        static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(product0)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return counter;
}

}  // namespace

uint32_t Random::next_u32() {
  const uint64_t index = position_ / 4;
  if (position_ % 4 == 0) {
    block_ = philox({static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32),
                     static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32)},
                    static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32));
  }
  return block_[position_++ % 4];
}

uint64_t Random::next_u64() {
  const uint64_t high = next_u32();
  return high << 32 | next_u32();
}

double Random::uniform() { return static_cast<double>(next_u64() >> 11) * 0x1.0p-53; }

uint64_t Random::below(uint64_t bound) {
  // Rejects the last, incomplete multiple of `bound`.
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t value = next_u64();
  while (value >= limit) value = next_u64();
  return value % bound;
}

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

void Random::seek(uint64_t position) {
  position_ = position - position % 4;
  while (position_ < position) next_u32();
}

}  // namespace skein
