// Reads pairs to the end, or to the error, for the tests of the readers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "skein/data/readers.h"

namespace skein {

inline void PrintTo(const Pair& pair, std::ostream* out) {
  *out << "{" << pair.source << " | " << pair.target << "}";
}

inline LineReader lines(std::string text, std::string name = "corpus") {
  return LineReader(memory_stream(std::move(text), name), name);
}

inline std::vector<Pair> pairs_of(PairReader& reader) {
  std::vector<Pair> pairs;
  for (Pair pair; reader.next(pair);) pairs.push_back(pair);
  return pairs;
}

template <typename Exception>
std::string error_of_next(PairReader& reader) {
  try {
    Pair pair;
    reader.next(pair);
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

inline std::string error_of(PairReader& reader) {
  try {
    pairs_of(reader);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace skein
