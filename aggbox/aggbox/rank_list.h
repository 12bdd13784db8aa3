// Ranks in sentences.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace aggbox {

// "0, 3, 17": the bits of `ranks`.
inline std::string list_ranks(std::uint64_t ranks) {
  std::string list;
  for (; ranks != 0; ranks &= ranks - 1)
    list += (list.empty() ? "" : ", ") + std::to_string(std::countr_zero(ranks));
  return list;
}

}  // namespace aggbox
