// Small random extents, sentences and tokens, the same for the same seed.
#pragma once

#include <cstdint>
#include <vector>

#include "skein/base/random.h"

namespace skein {

// Between `least` and `most`, both included.
inline int64_t random_between(Random& random, int64_t least, int64_t most) {
  return least + static_cast<int64_t>(random.below(static_cast<uint64_t>(most - least + 1)));
}

inline std::vector<int32_t> random_tokens(Random& random, int64_t count, int64_t vocabulary) {
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < count; ++i) {
    tokens.push_back(static_cast<int32_t>(random_between(random, 0, vocabulary - 1)));
  }
  return tokens;
}

// Offsets of `sentences` sentences with `least` to `most` tokens.
inline std::vector<int32_t> random_offsets(Random& random, int64_t sentences, int64_t least,
                                           int64_t most) {
  std::vector<int32_t> offsets = {0};
  for (int64_t s = 0; s < sentences; ++s) {
    offsets.push_back(offsets.back() + static_cast<int32_t>(random_between(random, least, most)));
  }
  return offsets;
}

}  // namespace skein
