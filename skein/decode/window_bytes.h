// How much text is read at a time.
#pragma once

#include <cstddef>

namespace skein {

// A window of long lines ends with so much text, before its number of lines is reached.
constexpr size_t kWindowBytes = size_t{1} << 22;

}  // namespace skein
