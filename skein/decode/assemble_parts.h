// The translation of a line in parts, from those of its parts.
#pragma once

#include <span>

#include "skein/decode/translation.h"

namespace skein {

// parts: of one line, at least one; their hypotheses are moved away. Hypothesis k of the line is
// made of the k-th ones of its parts. Its score is that of all its tokens; of reranked hypotheses,
// the mean of the parts' scores.
Translation assemble_parts(std::span<TranslatedPart> parts);

}  // namespace skein
