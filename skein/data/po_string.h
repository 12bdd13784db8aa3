// A quoted string of a .po file.
#pragma once

#include <string>
#include <string_view>

namespace skein::internal {

// Appends what `quoted`, with its quotes, stands for: C's escapes. Returns what is wrong with it,
// or null.
const char* append_po_string(std::string_view quoted, std::string& text);

}  // namespace skein::internal
