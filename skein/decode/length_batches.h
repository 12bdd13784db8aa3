// Sentences of similar length together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace skein {

// The indices of `lengths` in batches whose lengths add up to at most `most`; a longer one is a
// batch of its own. Longest first, so that the last batches, which fewer threads share, are short.
std::vector<std::vector<size_t>> length_batches(std::span<const size_t> lengths, size_t most);

// The `most` with which length_batches() gives every worker as many batches of about the same size,
// none of more than `most` (of many batches there may be one less). Where there is so little that
// threads do better to share a batch, there are fewer batches than workers.
size_t even_batch_size(std::span<const size_t> lengths, size_t most, size_t workers);

}  // namespace skein
