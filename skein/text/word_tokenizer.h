// Words between whitespace are the pieces. For text that other tools have split already.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "skein/text/learn_options.h"
#include "skein/text/tokenizer.h"
#include "skein/text/vocabulary_file.h"

namespace skein {

class WordTokenizer final : public Tokenizer {
 public:
  // Throws FormatError if `content` is not the text form of a vocabulary.
  static std::unique_ptr<Tokenizer> load(std::string_view content, const std::string& origin);
  // The options.size most frequent words; ties in the order of bytes.
  static std::unique_ptr<Tokenizer> learn(const LearnOptions& options, const LineSource& lines);

  explicit WordTokenizer(VocabularyFile file);

  std::string type() const override { return "word"; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  Normalization normalization() const override { return file_.normalization; }
  // Words with one space between.
  std::string decode(std::span<const int32_t> ids) const override;
  std::string serialize() const override { return file_.serialize(); }

 protected:
  std::vector<std::string> split(std::string_view text) const override;

 private:
  VocabularyFile file_;
  Vocabulary vocabulary_;
};

}  // namespace skein
