// Sentences of shared/fixtures, and how near to them the results must be.
#pragma once

#include <string>
#include <vector>

#include "fixture.h"
#include "skein/data/batch.h"

namespace skein {

// The fixtures' README: forward 2e-5, gradients 1e-4, each times max(1, largest absolute value).
constexpr double kForward = 2e-5;
constexpr double kGradient = 1e-4;

inline std::vector<int32_t> token_ids(const Fixture& fixture, const std::string& name) {
  const std::vector<int64_t> wide = fixture.integers(name);
  return {wide.begin(), wide.end()};
}

// Sentences `first` .. `last` - 1 of a set of the fixture as one packed batch.
inline Batch fixture_batch(const Fixture& fixture, int first, int last,
                           const std::string& set = "s") {
  Batch batch;
  for (int s = first; s < last; ++s) {
    const std::string prefix = set + std::to_string(s);
    if (fixture.contains(prefix + ".src")) {
      batch.source.append(token_ids(fixture, prefix + ".src"));
    }
    batch.target_input.append(token_ids(fixture, prefix + ".prev"));
    batch.target.append(token_ids(fixture, prefix + ".tgt"));
  }
  return batch;
}

}  // namespace skein
