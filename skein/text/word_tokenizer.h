// Words between whitespace are the pieces. For text that other tools have split already.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "skein/text/learn_options.h"
#include "skein/text/listed_tokenizer.h"
#include "skein/text/text_summary.h"

namespace skein {

class WordTokenizer final : public ListedTokenizer {
 public:
  // The options.size most frequent words; ties in the order of bytes.
  static std::unique_ptr<TextSummary> summarize(const LearnOptions& options);

  explicit WordTokenizer(VocabularyFile vocabulary) : ListedTokenizer(std::move(vocabulary)) {}

  // Words with one space between.
  std::string decode(std::span<const int32_t> ids) const override;

 protected:
  std::vector<std::string> split(std::string_view text) const override;
};

}  // namespace skein
