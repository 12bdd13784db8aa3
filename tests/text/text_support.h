// What the tests of tokenisers share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "error_of.h"
#include "skein/base/random.h"
#include "skein/text/learn_options.h"
#include "skein/text/tokenizer.h"
#include "skein/text/utf8.h"

namespace skein {

inline LineSource lines_of(std::vector<std::string> lines) {
  return [lines = std::move(lines), next = size_t{0}](std::string& line) mutable {
    if (next == lines.size()) return false;
    line = lines[next++];
    return true;
  };
}

inline std::vector<int32_t> encoded(const Tokenizer& tokenizer, std::string_view line) {
  std::vector<int32_t> ids;
  tokenizer.encode(line, ids);
  return ids;
}

// Any code points but surrogates, controls, spaces and the two characters that SentencePiece keeps
// for itself; mostly letters of a few scripts.
inline std::string random_word(Random& random, uint64_t longest) {
  std::string word;
  for (uint64_t length = 1 + random.below(longest); length > 0; --length) {
    const uint64_t choice = random.below(8);
    char32_t code_point = U'a' + static_cast<char32_t>(random.below(26));
    if (choice == 5) code_point = 0x00C0 + static_cast<char32_t>(random.below(0x500));
    if (choice == 6) code_point = 0x3041 + static_cast<char32_t>(random.below(0x5000));
    if (choice == 7) code_point = 0x1F300 + static_cast<char32_t>(random.below(0x300));
    append_utf8(code_point, word);
  }
  return word;
}

// `words` random words with one space between.
inline std::string random_line(Random& random, uint64_t words) {
  std::string line = random_word(random, 8);
  for (; words > 1; --words) (line += ' ') += random_word(random, 8);
  return line;
}

}  // namespace skein
