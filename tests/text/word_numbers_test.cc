// Which word a piece belongs to, for every type of tokeniser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/text/normalize.h"
#include "skein/text/split_words.h"
#include "skein/text/tokenizers.h"
#include "text/text_support.h"

namespace skein {
namespace {

using testing::ElementsAre;

// `piece` without the marks that tell where words begin or go on.
std::string bare(std::string piece, const std::string& type) {
  const std::string_view mark = type == "codes" ? "@@" : "\u2581";
  if (type == "codes" && piece.ends_with(mark)) piece.resize(piece.size() - mark.size());
  if (type != "codes" && piece.starts_with(mark)) piece.erase(0, mark.size());
  return piece;
}

class WordNumbers : public testing::TestWithParam<std::string> {};

TEST_P(WordNumbers, PiecesOfAWordMakeTheWord) {
  Random random(31);
  std::vector<std::string> text;
  for (int i = 0; i < 60; ++i) text.push_back(random_line(random, 1 + random.below(6)));
  // Half of the text, so that the other half has characters that no piece has.
  const std::vector<std::string> known(text.begin(), text.begin() + 30);
  const auto tokenizer =
      learn_tokenizer(GetParam(), {.size = GetParam() == "bpe" ? 400 : 200}, lines_of(known));
  for (const std::string& line : text) {
    std::vector<std::string> words;
    split_words(normalize(line, tokenizer->normalization()),
                [&](std::string_view word) { words.emplace_back(word); });
    const std::vector<std::string> pieces = tokenizer->pieces(line);
    const std::vector<int32_t> numbers = tokenizer->word_numbers(pieces);
    ASSERT_EQ(numbers.size(), pieces.size());
    std::vector<std::string> found(words.size());
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (numbers[i] < 0) continue;
      ASSERT_LT(numbers[i], std::ssize(words)) << line;
      found[static_cast<size_t>(numbers[i])] += bare(pieces[i], GetParam());
    }
    EXPECT_EQ(found, words) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, WordNumbers,
                         testing::Values("word", "char", "codes", "bpe", "unigram"),
                         [](const auto& info) { return info.param; });

std::vector<int32_t> numbers(const std::string& type, const std::vector<std::string>& pieces) {
  const auto tokenizer = learn_tokenizer(type, {.size = 40}, lines_of({"a bad cab", "a cab"}));
  return tokenizer->word_numbers(pieces);
}

TEST(WordNumbersOfPieces, FollowTheMarks) {
  EXPECT_THAT(numbers("word", {"a", "<unk>", "b"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(numbers("char", {" ", "a", "b", " ", " ", "<unk>"}),
              ElementsAre(-1, 0, 0, -1, -1, 1));
  EXPECT_THAT(numbers("codes", {"a@@", "<unk>", "@@", "b"}), ElementsAre(0, 0, 1, 2));
}

}  // namespace
}  // namespace skein
