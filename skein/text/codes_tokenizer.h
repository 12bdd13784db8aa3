// Byte-pair codes of subword-nmt and fastBPE: words between whitespace, cut into parts; `@@` marks
// a part that the word goes on behind. A part that is not in the vocabulary is cut further.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skein/text/bpe_codes.h"
#include "skein/text/learn_options.h"
#include "skein/text/listed_tokenizer.h"
#include "skein/text/text_summary.h"

namespace skein {

class CodesTokenizer final : public ListedTokenizer {
 public:
  // Takes options.codes, or learns options.size merges. The vocabulary is every part of the text's
  // words, most frequent first, and all its characters. Throws FormatError if options.codes is no
  // codes file.
  static std::unique_ptr<TextSummary> summarize(const LearnOptions& options);

  // Throws FormatError if there is no section `codes` or it is no codes file.
  explicit CodesTokenizer(VocabularyFile vocabulary);

  std::string decode(std::span<const int32_t> ids) const override;
  std::vector<int32_t> word_numbers(std::span<const std::string> pieces) const override;
  std::vector<int32_t> resample(std::span<const int32_t> ids, double dropout,
                                Random& random) const override;
  bool resamples() const override { return true; }

 protected:
  std::vector<std::string> split(std::string_view text) const override;

 private:
  void append_parts(std::string_view word, double dropout, Random* random,
                    std::vector<std::string>& pieces) const;
  bool is_symbol(std::string_view word) const;
  void append_known(const BpeCodes::Part& part, bool last, std::vector<std::string>& pieces) const;

  BpeCodes codes_;
};

}  // namespace skein
