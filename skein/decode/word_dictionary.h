// Translations of single words, for words that the model does not know.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "skein/data/line_reader.h"

namespace skein {

class WordDictionary {
 public:
  // Without an entry.
  WordDictionary() = default;
  // A line an entry: a source word, white space, its translation, one word too; of several entries
  // for a word the first counts. Throws FormatError, with file:line, for any other line.
  explicit WordDictionary(LineReader& lines);

  // The word itself if there is no entry.
  std::string translate(const std::string& word) const;

 private:
  std::unordered_map<std::string, std::string> entries_;
};

}  // namespace skein
