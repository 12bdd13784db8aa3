#include "skein/decode/word_alignment.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <utility>

namespace skein {

std::vector<int32_t> target_words(std::span<const int32_t> tokens, const Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (const int32_t token : tokens) {
    if (token >= kUnkId) pieces.push_back(tokenizer.vocabulary().piece(token));
  }
  const std::vector<int32_t> numbers = tokenizer.word_numbers(pieces);
  std::vector<int32_t> words;
  size_t next = 0;
  for (const int32_t token : tokens) words.push_back(token >= kUnkId ? numbers[next++] : -1);
  return words;
}

std::vector<WordPair> word_pairs(std::span<const int32_t> source_words,
                                 std::span<const int32_t> target_words,
                                 std::span<const int32_t> aligned) {
  std::set<std::pair<int32_t, int32_t>> found;  // target, source
  for (size_t t = 0; t < target_words.size(); ++t) {
    if (target_words[t] < 0 || aligned[t] < 0) continue;
    const int32_t source = source_words[static_cast<size_t>(aligned[t])];
    if (source >= 0) found.emplace(target_words[t], source);
  }
  std::vector<WordPair> pairs;
  pairs.reserve(found.size());
  for (const auto& [target, source] : found) pairs.push_back({source, target});
  return pairs;
}

std::string pharaoh_text(std::span<const WordPair> pairs) {
  std::string text;
  for (const WordPair& pair : pairs) {
    fmt::format_to(std::back_inserter(text), "{}{}-{}", text.empty() ? "" : " ", pair.source,
                   pair.target);
  }
  return text;
}

}  // namespace skein
