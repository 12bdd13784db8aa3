#include "skein/data/po_string.h"

#include <algorithm>
#include <charconv>

namespace skein::internal {
namespace {

// At most `longest` digits at `position`, which moves behind them. False if there are none.
bool append_code(std::string_view text, int base, size_t longest, size_t& position,
                 std::string& out) {
  const char* begin = text.data() + position;
  const char* end = begin + std::min(longest, text.size() - position);
  unsigned code = 0;
  const auto parsed = std::from_chars(begin, end, code, base);
  if (parsed.ec != std::errc() || code > 0xff) return false;
  out += static_cast<char>(code);
  position += static_cast<size_t>(parsed.ptr - begin);
  return true;
}

// The escape at `position`, which stands behind the backslash and moves behind the escape.
bool append_escape(std::string_view text, size_t& position, std::string& out) {
  constexpr std::string_view kNames = "abfnrtv\\\"'?";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\\"'?";
  if (position == text.size()) return false;
  if (const size_t found = kNames.find(text[position]); found != std::string_view::npos) {
    out += kValues[found];
    ++position;
    return true;
  }
  if (text[position] == 'x') return append_code(text, 16, 2, ++position, out);
  return append_code(text, 8, 3, position, out);
}

}  // namespace

const char* append_po_string(std::string_view quoted, std::string& text) {
  if (!quoted.starts_with('"')) return "text without an opening quote";
  for (size_t i = 1; i < quoted.size();) {
    const char c = quoted[i++];
    if (c == '"') {
      const bool ends_here = quoted.find_first_not_of(" \t\f\v", i) == std::string_view::npos;
      return ends_here ? nullptr : "something stands behind the closing quote";
    }
    if (c != '\\') {
      text += c;
    } else if (!append_escape(quoted, i, text)) {
      return "an escape that does not exist";
    }
  }
  return "text without a closing quote";
}

}  // namespace skein::internal
