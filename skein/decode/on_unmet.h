// What becomes of a line whose constraints cannot be met.
#pragma once

#include <string>
#include <string_view>

#include "skein/decode/source_line.h"

namespace skein {

enum class OnUnmet {
  kRefuse,    // an error
  kLeaveOut,  // it is translated, or gone on with, without them
};

inline OnUnmet on_unmet_from_name(std::string_view name) {
  return name == "leave-out" ? OnUnmet::kLeaveOut : OnUnmet::kRefuse;
}

// Constraints that no text can meet, which is known before one is searched for.
class UnmetConstraints : public LinePartError {
 public:
  explicit UnmetConstraints(const std::string& sentence)
      : LinePartError(LinePart::kConstraints,
                      sentence + "; --on-unmet leave-out translates such lines without") {}
};

}  // namespace skein
