// Spelling suggestions for unknown names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace skein {

// Returns the candidate with the smallest edit distance (Levenshtein) to `name`; empty when none is
// within half the length of `name`, rounded up. Ties go to the first candidate.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

// The position of `name` in `known`. Throws UsageError, with the nearest of them and all, if it is
// not there. `what` names the family in the singular: "BLEU tokenizer".
size_t require_name(std::string_view what, std::string_view name,
                    std::span<const std::string_view> known);

}  // namespace skein
