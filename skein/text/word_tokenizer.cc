#include "skein/text/word_tokenizer.h"

#include "skein/text/counted_vocabulary.h"
#include "skein/text/counter.h"
#include "skein/text/split_words.h"

namespace skein {

std::unique_ptr<TextSummary> WordTokenizer::summarize(const LearnOptions& options) {
  const auto count = [](std::string_view line, Counter& counter) {
    split_words(line, [&counter](std::string_view word) { counter.add(word); });
  };
  const auto learn = [options](const Counter& counter) {
    return std::make_unique<WordTokenizer>(counted_vocabulary("word", options, counter));
  };
  return std::make_unique<CountSummary>(options, CountSummary::Steps{count, learn});
}

std::vector<std::string> WordTokenizer::split(std::string_view text) const {
  std::vector<std::string> words;
  split_words(text, [&words](std::string_view word) { words.emplace_back(word); });
  return words;
}

std::string WordTokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    const std::string& piece = vocabulary().piece(id);
    if (id < kUnkId) continue;
    if (!text.empty()) text += ' ';
    text += id == kUnkId ? kUnknownText : std::string_view(piece);
  }
  return text;
}

}  // namespace skein
