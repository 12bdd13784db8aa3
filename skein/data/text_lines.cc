#include "skein/data/text_lines.h"

#include <fmt/format.h>

#include "skein/base/error.h"
#include "skein/text/utf8.h"

namespace skein {

std::vector<std::string> read_text_lines(const std::filesystem::path& path, ByteOrderMark mark) {
  LineReader reader(path, mark);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    const size_t invalid = find_invalid_utf8(line);
    if (invalid != std::string::npos) {
      throw FormatError(
          fmt::format("{}: byte {} is not UTF-8; convert the file, for example with "
                      "`iconv -f LATIN1 -t UTF-8`",
                      reader.where(), invalid + 1));
    }
    lines.push_back(line);
  }
  if (lines.empty()) {
    throw FormatError(fmt::format("{} is empty; expected one sentence a line", path.string()));
  }
  return lines;
}

}  // namespace skein
