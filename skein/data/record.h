// What the readers of all formats do to the text of a record.
#pragma once

#include <string>
#include <string_view>

namespace skein::internal {

// Throws RecordError, with the place, unless `text` is UTF-8.
void require_utf8_record(std::string_view text, const std::string& where);

// Makes one line of a text that may span several: each run of spaces, tabs and line ends becomes
// one space, none is left at the ends.
std::string as_one_line(std::string_view text);

// Whether there is nothing but spaces, tabs and line ends.
bool is_blank(std::string_view text);

}  // namespace skein::internal
