// Spelling suggestions for unknown names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skein {

// Returns the candidate with the smallest edit distance (Levenshtein) to `name`; empty when none is
// within half the length of `name`, rounded up. Ties go to the first candidate.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace skein
