#include "skein/text/symbol_matcher.h"

#include <algorithm>

namespace skein {

SymbolMatcher::SymbolMatcher(std::vector<std::string> symbols)
    : longest_first_(std::move(symbols)) {
  std::sort(longest_first_.begin(), longest_first_.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

size_t SymbolMatcher::match(std::string_view text) const {
  for (const std::string& symbol : longest_first_) {
    if (text.starts_with(symbol)) return symbol.size();
  }
  return 0;
}

}  // namespace skein
