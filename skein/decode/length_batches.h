// Sentences of similar length together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace skein {

// The indices of `lengths` in batches whose lengths add up to at most `most`; a longer one is a
// batch of its own. Longest first, so that the last batches, which fewer threads share, are short.
std::vector<std::vector<size_t>> length_batches(std::span<const size_t> lengths, size_t most);

}  // namespace skein
