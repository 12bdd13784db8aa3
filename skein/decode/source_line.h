// What a user asks to be translated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skein {

struct SourceLine {
  int64_t number = 0;  // from 1
  std::string source;
  std::string prefix = {};                    // what the translation begins with
  std::vector<std::string> constraints = {};  // what it contains
  std::string error = {};  // why the line cannot be understood; empty where it can
};

}  // namespace skein
