// A tokeniser whose vocabulary is the text form (vocabulary_file.h): what all of them share.
#pragma once

#include <string>
#include <utility>

#include "skein/text/tokenizer.h"
#include "skein/text/vocabulary_file.h"

namespace skein {

class ListedTokenizer : public Tokenizer {
 public:
  std::string type() const override { return file_.type; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  Normalization normalization() const override { return file_.normalization; }
  std::string serialize() const override { return file_.serialize(); }

 protected:
  // Throws FormatError if the file lacks the pieces.
  explicit ListedTokenizer(VocabularyFile file)
      : file_(std::move(file)), vocabulary_(file_.vocabulary()) {}

  const VocabularyFile& file() const { return file_; }

 private:
  VocabularyFile file_;
  Vocabulary vocabulary_;
};

}  // namespace skein
