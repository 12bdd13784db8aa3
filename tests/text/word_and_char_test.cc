#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/base/error.h"
#include "skein/text/tokenizers.h"
#include "text/text_support.h"

namespace skein {
namespace {

using testing::ElementsAre;

std::unique_ptr<Tokenizer> learned(const std::string& type, std::vector<std::string> text,
                                   LearnOptions options = {}) {
  return learn_tokenizer(type, options, lines_of(std::move(text)));
}

TEST(WordTokenizer, TheMostFrequentWordsHaveTheLowestIds) {
  const auto words = learned("word", {"a goose is a bird", "a bird  flies"});
  EXPECT_THAT(encoded(*words, "a bird is\ta goose"), ElementsAre(4, 5, 8, 4, 7));
  EXPECT_EQ(words->decode(encoded(*words, "a  bird is a goose")), "a bird is a goose");
}

TEST(WordTokenizer, UnknownWordsAreShownAsSuch) {
  const auto words = learned("word", {"a bird"});
  EXPECT_THAT(encoded(*words, "a </s> fox"), ElementsAre(4, kUnkId, kUnkId));
  EXPECT_THAT(words->pieces("a fox"), ElementsAre("a", "fox"));
  EXPECT_EQ(words->decode(std::vector<int32_t>{kBosId, 4, kUnkId, kEosId}), "a \u2047");
}

TEST(WordTokenizer, SizeAndMinimumCountBoundTheVocabulary) {
  const std::vector<std::string> text = {"a a a b b c"};
  EXPECT_EQ(learned("word", text, {.size = 6})->vocabulary().size(), 6);
  EXPECT_EQ(learned("word", text, {.minimum_count = 3})->vocabulary().size(), 5);
}

TEST(CharTokenizer, DecodingGivesBackTheTextExactly) {
  Random random(5);
  std::vector<std::string> text;
  for (int i = 0; i < 200; ++i) text.push_back(random_line(random, 6) + "  \t ");
  const auto characters =
      learned("char", text, {.size = 100000, .normalization = Normalization::kNone});
  for (const std::string& line : text)
    EXPECT_EQ(characters->decode(encoded(*characters, line)), line);
}

TEST(CharTokenizer, SymbolsStayWhole) {
  const auto characters = learned("char", {"ab"}, {.symbols = {"<2d>", "<2de>"}});
  EXPECT_THAT(characters->pieces("<2de>b<2"), ElementsAre("<2de>", "b", "<", "2"));
  EXPECT_THAT(encoded(*characters, "<2de>b"), ElementsAre(5, 7));
}

TEST(Tokenizers, TextIsNormalisedAsTheOptionsAsk) {
  const std::string decomposed = "u\u0308ber";
  EXPECT_THAT(learned("word", {decomposed})->pieces(decomposed), ElementsAre("über"));
  EXPECT_THAT(
      learned("word", {decomposed}, {.normalization = Normalization::kNone})->pieces(decomposed),
      ElementsAre(decomposed));
}

TEST(Tokenizers, TheTextFormReadsBack) {
  for (const std::string type : {"word", "char", "codes"}) {
    const auto original = learned(type, {"the goose flew", "the geese flew"},
                                  {.normalization = Normalization::kNfkc, .symbols = {"<2de>"}});
    const auto copy = tokenizers().get(type).load(original->serialize(), "vocab.model");
    EXPECT_EQ(copy->serialize(), original->serialize());
    EXPECT_EQ(copy->normalization(), Normalization::kNfkc);
    EXPECT_EQ(encoded(*copy, "<2de> the goose ﬂew"), encoded(*original, "<2de> the goose flew"))
        << type;
  }
}

TEST(Tokenizers, BadInputGetsOneSentence) {
  EXPECT_EQ(
      error_of<UsageError>([] { learned("wrod", {"a"}); }),
      "there is no tokenizer 'wrod'; did you mean 'word'? (known: bpe char codes unigram word)");
  EXPECT_EQ(error_of<FormatError>([] {
              learned("word", {"a", "caf\xE9"});
            }),
            "byte 4 (0xE9) of the line is not UTF-8; convert the text to UTF-8");
  EXPECT_EQ(error_of<FormatError>([] { encoded(*learned("word", {"a"}), "\xFF"); }),
            "byte 1 (0xFF) of the line is not UTF-8; convert the text to UTF-8");
  EXPECT_EQ(error_of<FormatError>([] {
              learned("word", {"", "  "});
            }),
            "the text is empty; give text to learn the vocabulary from");
  EXPECT_EQ(error_of<UsageError>([] { learned("word", {"a b"}, {.minimum_count = 2}); }),
            "no piece occurs 2 times in the text; give more text or a smaller minimum");
  EXPECT_EQ(error_of<UsageError>([] { learned("char", {"a"}, {.size = 4}); }),
            "a vocabulary of 4 pieces has no room beside 4 special tokens and symbols; choose a "
            "larger size");
  EXPECT_EQ(error_of<UsageError>([] { learned("word", {"a"}, {.size = 0}); }),
            "the size of the vocabulary is 0, expected 1 to 10000000");
  EXPECT_EQ(error_of<UsageError>([] { learned("bpe", {"a"}, {.symbols = {"</s>"}}); }),
            "the symbol '</s>' is a special token already; choose another");
  EXPECT_EQ(error_of<UsageError>([] {
              learned("bpe", {"a"}, {.symbols = {"a", "a"}});
            }),
            "the symbol 'a' is given twice; give it once");
  EXPECT_EQ(error_of<UsageError>([] { learned("bpe", {"a"}, {.symbols = {"a b"}}); }).substr(0, 43),
            "the symbol 'a b' is empty or holds whitespa");
}

}  // namespace
}  // namespace skein
