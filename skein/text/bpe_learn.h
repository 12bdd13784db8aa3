// Learning byte-pair codes from words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace skein {

// The most frequent pairs of adjacent symbols, merged one after another (Sennrich et al. 2016,
// algorithm 1), as the lines of a subword-nmt file of version 0.2. Of equally frequent pairs the
// last in the order of code points comes first, as in subword-nmt. Stops after `merges`, or when no
// pair occurs `minimum_count` times. `word_counts`: distinct, not empty, well-formed UTF-8.
std::string learn_bpe_codes(std::span<const std::pair<std::string, int64_t>> word_counts,
                            int64_t merges, int64_t minimum_count = 2);

}  // namespace skein
