#include "skein/decode/unknown_words.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "skein/decode/word_alignment.h"

namespace skein {
namespace {

std::string replacement_of(size_t token, const UnknownWords& unknown) {
  const int32_t aligned = unknown.aligned[token];
  if (aligned < 0) return {};
  const int32_t word = unknown.source.of_tokens[static_cast<size_t>(aligned)];
  if (word < 0) return {};
  return unknown.dictionary.translate(unknown.source.words[static_cast<size_t>(word)]);
}

// For each word the text that replaces it; empty for a word that stays.
std::vector<std::string> replacements(std::span<const int32_t> tokens,
                                      std::span<const int32_t> words, const UnknownWords& unknown) {
  std::vector<std::string> result;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (words[i] < 0) continue;
    const auto word = static_cast<size_t>(words[i]);
    result.resize(std::max(result.size(), word + 1));
    if (tokens[i] == kUnkId && result[word].empty()) result[word] = replacement_of(i, unknown);
  }
  return result;
}

// Text of tokens and of replaced words in turn, with a space where they meet.
class TextOfSegments {
 public:
  explicit TextOfSegments(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void add(int32_t token) { tokens_.push_back(token); }

  void add(const std::string& word) {
    end_tokens();
    append(word);
  }

  std::string finish() && {
    end_tokens();
    return std::move(text_);
  }

 private:
  void end_tokens() {
    std::string text = tokenizer_.decode(tokens_);
    tokens_.clear();
    // Tokenisers that have spaces as pieces leave them at the ends.
    if (!text_.empty()) text.erase(0, text.find_first_not_of(' '));
    append(text);
  }

  void append(std::string_view text) {
    if (text.empty()) return;
    if (!text_.empty() && text_.back() != ' ') text_ += ' ';
    text_ += text;
  }

  const Tokenizer& tokenizer_;
  std::vector<int32_t> tokens_;
  std::string text_;
};

}  // namespace

bool has_unknown(std::span<const int32_t> tokens) {
  return std::find(tokens.begin(), tokens.end(), kUnkId) != tokens.end();
}

std::string replace_unknown(std::span<const int32_t> tokens, const Tokenizer& tokenizer,
                            const UnknownWords& unknown) {
  const std::vector<int32_t> words = target_words(tokens, tokenizer);
  const std::vector<std::string> replaced = replacements(tokens, words, unknown);
  TextOfSegments text(tokenizer);
  int32_t last = -1;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool in_word = words[i] >= 0;
    if (!in_word || replaced[static_cast<size_t>(words[i])].empty()) {
      text.add(tokens[i]);
    } else if (words[i] != last) {
      text.add(replaced[static_cast<size_t>(words[i])]);
    }
    if (in_word) last = words[i];
  }
  return std::move(text).finish();
}

}  // namespace skein
