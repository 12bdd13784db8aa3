// The text form of `vocab.model`, for word, character and codes vocabularies and those of plug-ins:
//
//   #skein-vocabulary 1 word      format version and type of tokeniser
//   normalization nfc             none, nfc or nfkc
//   section symbols 1             a name and how many lines follow; every line is taken as it is
//   <2de>
//   section pieces 2
//   the
//   of
//
// Sections may come in any order. Lines end with \n and nothing else, so that a piece can be "\r"
// or " ".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "skein/text/normalize.h"
#include "skein/text/vocabulary.h"

namespace skein {

struct VocabularyFile {
  struct Section {
    std::string name;
    std::vector<std::string> lines = {};
    size_t first_line = 0;  // its line number in the file, counted from 1; 0 if never read from one
  };

  std::string type;
  Normalization normalization = Normalization::kNone;
  std::vector<Section> sections;
  std::string origin;  // the file's name, for errors

  // The type of tokeniser that the first line names; empty if this is no such file.
  static std::string type_of(std::string_view content);

  // Throws FormatError that begins with origin:line.
  static VocabularyFile parse(std::string_view content, const std::string& origin);
  std::string serialize() const;

  // Throws FormatError if there is none.
  const Section& section(std::string_view name) const;

  // Special tokens, then the sections `symbols` and `pieces`. Throws FormatError for a piece that
  // is empty, special or there twice.
  Vocabulary vocabulary() const;
};

}  // namespace skein
