#include "skein/decode/source_words.h"

#include <algorithm>
#include <utility>

#include "skein/text/normalize.h"
#include "skein/text/split_words.h"

namespace skein {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  split_words(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

// Without the marks that tokenisers put where a word begins or goes on.
std::string text_of_piece(std::string_view piece) {
  constexpr std::string_view kSpace = "\u2581";
  constexpr std::string_view kGoesOn = "@@";
  if (piece.starts_with(kSpace)) piece.remove_prefix(kSpace.size());
  if (piece.size() > kGoesOn.size() && piece.ends_with(kGoesOn)) {
    piece.remove_suffix(kGoesOn.size());
  }
  return std::string(piece);
}

}  // namespace

SourceWords source_words(std::string_view text, const Tokenizer& tokenizer) {
  SourceWords result;
  const std::vector<std::string> pieces = tokenizer.pieces(text);
  for (const std::string& piece : pieces) result.pieces.push_back(text_of_piece(piece));
  result.of_tokens = tokenizer.word_numbers(pieces);
  const auto last = std::max_element(result.of_tokens.begin(), result.of_tokens.end());
  const auto count = static_cast<size_t>(last == result.of_tokens.end() ? 0 : *last + 1);
  result.words = words_of(text);
  if (result.words.size() != count) {
    // Normalisation makes spaces of other characters.
    result.words = words_of(normalize(text, tokenizer.normalization()));
  }
  if (result.words.size() != count) result.words.assign(count, {});
  return result;
}

}  // namespace skein
