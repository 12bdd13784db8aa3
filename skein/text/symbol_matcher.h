// Finds the user's symbols in text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein {

class SymbolMatcher {
 public:
  explicit SymbolMatcher(std::vector<std::string> symbols);

  // The length of the longest symbol that `text` starts with; 0 if there is none.
  size_t match(std::string_view text) const;

 private:
  std::vector<std::string> longest_first_;
};

}  // namespace skein
