// A whole text file as its lines, for files that are read as one: references, hypotheses, held-out
// sentences.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "skein/data/line_reader.h"

namespace skein {

// Plain, .gz or .zst. Throws FileError if the file is missing or unreadable, FormatError if it is
// empty or if a line is not UTF-8 (`path:line`), and what LineReader throws.
std::vector<std::string> read_text_lines(const std::filesystem::path& path,
                                         ByteOrderMark mark = ByteOrderMark::kRemove);

}  // namespace skein
