// Every character is a piece, the space too, so that decoding gives back the text exactly.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skein/text/learn_options.h"
#include "skein/text/symbol_matcher.h"
#include "skein/text/tokenizer.h"
#include "skein/text/vocabulary_file.h"

namespace skein {

class CharTokenizer final : public Tokenizer {
 public:
  // Throws FormatError if `content` is not the text form of a vocabulary.
  static std::unique_ptr<Tokenizer> load(std::string_view content, const std::string& origin);
  // The options.size most frequent characters; ties in the order of code points.
  static std::unique_ptr<Tokenizer> learn(const LearnOptions& options, const LineSource& lines);

  explicit CharTokenizer(VocabularyFile file);

  std::string type() const override { return "char"; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  Normalization normalization() const override { return file_.normalization; }
  std::string decode(std::span<const int32_t> ids) const override;
  std::string serialize() const override { return file_.serialize(); }

 protected:
  std::vector<std::string> split(std::string_view text) const override;

 private:
  VocabularyFile file_;
  Vocabulary vocabulary_;
  SymbolMatcher symbols_;
};

}  // namespace skein
