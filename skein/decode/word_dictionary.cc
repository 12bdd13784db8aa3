#include "skein/decode/word_dictionary.h"

#include <fmt/format.h>

#include <vector>

#include "skein/base/error.h"
#include "skein/text/split_words.h"
#include "skein/text/utf8.h"

namespace skein {

WordDictionary::WordDictionary(LineReader& lines) {
  std::string line;
  while (lines.next(line)) {
    std::vector<std::string> words;
    split_words(line, [&](std::string_view word) { words.emplace_back(word); });
    if (words.size() != 2 || find_invalid_utf8(line) != std::string_view::npos) {
      throw FormatError(
          fmt::format("{}: the line has {} words or is not UTF-8; expected a source word and its "
                      "translation, one word each",
                      lines.where(), words.size()));
    }
    entries_.emplace(std::move(words[0]), std::move(words[1]));
  }
}

std::string WordDictionary::translate(const std::string& word) const {
  const auto entry = entries_.find(word);
  return entry == entries_.end() ? word : entry->second;
}

}  // namespace skein
