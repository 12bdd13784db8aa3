// Byte-pair codes of subword-nmt and fastBPE: words between whitespace, cut into parts; `@@` marks
// a part that the word goes on behind. A part that is not in the vocabulary is cut further.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skein/text/bpe_codes.h"
#include "skein/text/learn_options.h"
#include "skein/text/tokenizer.h"
#include "skein/text/vocabulary_file.h"

namespace skein {

class CodesTokenizer final : public Tokenizer {
 public:
  // Throws FormatError if `content` is not the text form of a vocabulary with a section `codes`.
  static std::unique_ptr<Tokenizer> load(std::string_view content, const std::string& origin);
  // Takes options.codes, or learns options.size merges. The vocabulary is every part of the text's
  // words, most frequent first, and all its characters. Throws FormatError if options.codes is no
  // codes file.
  static std::unique_ptr<Tokenizer> learn(const LearnOptions& options, const LineSource& lines);

  explicit CodesTokenizer(VocabularyFile file);

  std::string type() const override { return "codes"; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  Normalization normalization() const override { return file_.normalization; }
  std::string decode(std::span<const int32_t> ids) const override;
  std::string serialize() const override { return file_.serialize(); }

 protected:
  std::vector<std::string> split(std::string_view text) const override;
  void encode_normalized_sampled(std::string_view text, double dropout, Random& random,
                                 std::vector<int32_t>& ids) const override;

 private:
  std::vector<std::string> split(std::string_view text, double dropout, Random* random) const;
  void append_known(const BpeCodes::Part& part, bool last, std::vector<std::string>& pieces) const;

  VocabularyFile file_;
  Vocabulary vocabulary_;
  BpeCodes codes_;
};

}  // namespace skein
