// What a user asks to be translated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skein/base/error.h"

namespace skein {

// Each may stand in a file of its own.
enum class LinePart { kSource, kPrefix, kConstraints };

// What is wrong with a line's prefix or constraints.
class LinePartError : public Error {
 public:
  LinePartError(LinePart part, const std::string& sentence) : Error(sentence), part_(part) {}
  LinePart part() const { return part_; }

 private:
  LinePart part_;
};

struct SourceLine {
  int64_t number = 0;  // from 1
  std::string source;
  std::string prefix = {};                    // what the translation begins with
  std::vector<std::string> constraints = {};  // what it contains
  std::string error = {};  // why the line cannot be understood; empty where it can
};

}  // namespace skein
