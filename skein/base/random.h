// Counter-based random numbers (Philox4x32-10; Salmon et al. 2011): a stream is a seed and a
// position, so it can be saved, resumed and split, and gives the same numbers on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace skein {

class Random {
 public:
  // Streams of the same seed with different numbers are independent.
  explicit Random(uint64_t seed, uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  uint32_t next_u32();
  uint64_t next_u64();
  // Uniform in [0, 1), 53 bits.
  double uniform();
  // Uniform in [0, bound), without bias. Requires bound > 0.
  uint64_t below(uint64_t bound);
  // Standard normal (Box-Muller).
  double normal();

  template <typename T>
  void shuffle(std::span<T> values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

  // The position in the stream, counted in 32-bit numbers drawn.
  uint64_t position() const { return position_; }
  void seek(uint64_t position);

 private:
  uint64_t seed_;
  uint64_t stream_;
  uint64_t position_ = 0;
  std::array<uint32_t, 4> block_{};
};

}  // namespace skein
