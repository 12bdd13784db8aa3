// Every character is a piece, the space too, so that decoding gives back the text exactly.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skein/text/learn_options.h"
#include "skein/text/listed_tokenizer.h"
#include "skein/text/symbol_matcher.h"
#include "skein/text/text_summary.h"

namespace skein {

class CharTokenizer final : public ListedTokenizer {
 public:
  // The options.size most frequent characters; ties in the order of code points.
  static std::unique_ptr<TextSummary> summarize(const LearnOptions& options);

  explicit CharTokenizer(VocabularyFile vocabulary);

  std::string decode(std::span<const int32_t> ids) const override;
  std::vector<int32_t> word_numbers(std::span<const std::string> pieces) const override;

 protected:
  std::vector<std::string> split(std::string_view text) const override;

 private:
  SymbolMatcher symbols_;
};

}  // namespace skein
