#include "skein/data/record.h"

#include <fmt/format.h>

#include <algorithm>

#include "skein/data/pair_reader.h"
#include "skein/text/utf8.h"

namespace skein::internal {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

void require_utf8_record(std::string_view text, const std::string& where) {
  const size_t position = find_invalid_utf8(text);
  if (position == std::string_view::npos) return;
  throw RecordError(fmt::format(
      "{}: byte {} is not UTF-8; convert the file (iconv -t UTF-8) or leave such lines out "
      "with --on-error skip",
      where, position + 1));
}

std::string as_one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  bool space = false;
  for (const char c : text) {
    if (is_space(c)) {
      space = !line.empty();
      continue;
    }
    if (space) line += ' ';
    space = false;
    line += c;
  }
  return line;
}

bool is_blank(std::string_view text) { return std::all_of(text.begin(), text.end(), is_space); }

}  // namespace skein::internal
