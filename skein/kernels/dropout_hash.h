// The random bits of dropout. An element's bits are a keyed hash of its index, so that the backward
// pass recomputes the mask and any thread can compute any part of it.
#pragma once

#include <cmath>
#include <cstdint>

#include "skein/kernels/elementwise.h"

namespace skein::kernels {

// The finaliser of "lowbias32" (hash-prospector's best two-round 32-bit hash) with a key before
// each round. Indices count modulo 2^32: a mask repeats after 4294967296 elements.
struct DropoutKeys {
  uint32_t first;
  uint32_t second;
  int32_t threshold;  // kept if the hash, as a signed number, is not below
  float factor;       // of a kept element
};

inline uint64_t mix_seed(uint64_t seed) {  // the finaliser of splitmix64 (Steele et al. 2014)
  seed = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9u;
  seed = (seed ^ seed >> 27) * 0x94D049BB133111EBu;
  return seed ^ seed >> 31;
}

constexpr uint64_t kSeedStep = 0x9E3779B97F4A7C15u;

// The keys of another seed.
inline DropoutKeys with_seed(DropoutKeys keys, uint64_t seed) {
  const uint64_t key = mix_seed(seed + kSeedStep);
  keys.first = static_cast<uint32_t>(key);
  keys.second = static_cast<uint32_t>(key >> 32);
  return keys;
}

inline DropoutKeys dropout_keys(const Dropout& mask) {
  const double threshold = std::nearbyint(static_cast<double>(mask.probability) * 4294967296.0);
  const DropoutKeys keys = {
      .first = 0,
      .second = 0,
      .threshold = static_cast<int32_t>(static_cast<uint32_t>(threshold) ^ 0x80000000u),
      .factor = 1 / (1 - mask.probability)};
  return with_seed(keys, mask.seed);
}

inline uint32_t dropout_hash(const DropoutKeys& keys, uint32_t index) {
  uint32_t bits = index ^ keys.first;
  bits = (bits ^ bits >> 16) * 0x21F0AAADu;
  bits = (bits ^ keys.second ^ bits >> 15) * 0x735A2D97u;
  return bits ^ bits >> 15;
}

inline float dropout_factor(const DropoutKeys& keys, uint64_t index) {
  const uint32_t bits = dropout_hash(keys, static_cast<uint32_t>(index));
  return static_cast<int32_t>(bits) >= keys.threshold ? keys.factor : 0.0f;
}

}  // namespace skein::kernels
