#include "skein/decode/unknown_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/base/error.h"
#include "skein/text/tokenizers.h"

namespace skein {
namespace {

using testing::HasSubstr;

std::unique_ptr<Tokenizer> learned(const std::string& type, const std::string& text) {
  bool given = false;
  return learn_tokenizer(type, {.size = type == "unigram" ? 19 : 200},
                         [&, given](std::string& line) mutable {
                           line = text;
                           return !std::exchange(given, true);
                         });
}

WordDictionary dictionary(const std::string& text) {
  LineReader lines(memory_stream(text, "words"), "words");
  return WordDictionary(lines);
}

std::vector<int32_t> ids(const Tokenizer& tokenizer, const std::vector<std::string>& pieces) {
  std::vector<int32_t> result;
  for (const std::string& piece : pieces) result.push_back(tokenizer.vocabulary().id(piece));
  result.push_back(kEosId);
  return result;
}

TEST(UnknownWords, BecomeTheSourceWordsTheyWereMadeFrom) {
  const auto tokenizer = learned("word", "das ist ein");
  const auto tokens = ids(*tokenizer, {"das", "ist", "?", "?"});
  ASSERT_TRUE(has_unknown(tokens));
  const SourceWords source{{"this", "is", "Müller's", "Haus"}, {0, 1, 2, 3}};
  const std::vector<int32_t> aligned = {0, 1, 3, 2, 0};
  EXPECT_EQ(replace_unknown(tokens, *tokenizer, {source, aligned, WordDictionary()}),
            "das ist Haus Müller's");
  EXPECT_EQ(replace_unknown(tokens, *tokenizer, {source, aligned, dictionary("Haus house\n")}),
            "das ist house Müller's");
}

TEST(UnknownWords, StayUnknownWhereNothingIsAligned) {
  const auto tokenizer = learned("word", "das ist ein");
  const auto tokens = ids(*tokenizer, {"?", "ist"});
  const SourceWords source{{}, {}};
  EXPECT_EQ(
      replace_unknown(tokens, *tokenizer, {source, std::vector{-1, -1, -1}, WordDictionary()}),
      "\u2047 ist");
}

TEST(UnknownWords, AWordWithAnUnknownPieceIsReplacedAsAWhole) {
  const SourceWords source{{"one", "Łódź"}, {0, 1, 1}};
  const auto codes = learned("codes", "abc abc abd");
  EXPECT_EQ(replace_unknown(std::vector{codes->vocabulary().id("c"), codes->vocabulary().id("a@@"),
                                        kUnkId, codes->vocabulary().id("d"), kEosId},
                            *codes, {source, std::vector{0, 0, 1, 0, 0}, WordDictionary()}),
            "c Łódź d");
  const auto characters = learned("char", "ab cd");
  EXPECT_EQ(replace_unknown(ids(*characters, {"a", " ", "b", "?", "?", " ", "c"}), *characters,
                            {source, std::vector{0, 0, 0, 2, 0, 0, 0, 0}, WordDictionary()}),
            "a Łódź c");
}

TEST(UnknownWords, SpacesOfSentencePieceArePutBack) {
  const auto tokenizer = learned("unigram", "a bad cab has a bad bed and a dead head in it");
  const SourceWords source{{"Łódź"}, {0}};
  std::vector<int32_t> tokens;
  tokenizer->encode("a bad łcab bed", tokens);
  ASSERT_TRUE(has_unknown(tokens));
  const std::vector<int32_t> aligned(tokens.size(), 0);
  EXPECT_EQ(replace_unknown(tokens, *tokenizer, {source, aligned, WordDictionary()}),
            "a bad Łódź bed");
  // Two unknown tokens of one word.
  const auto id = [&](const char* piece) { return tokenizer->vocabulary().id(piece); };
  EXPECT_EQ(replace_unknown(std::vector{id("a"), kUnkId, kUnkId, id("b"), kEosId}, *tokenizer,
                            {source, std::vector(5, 0), WordDictionary()}),
            "Łódź");
}

TEST(UnknownWords, AmongCharactersWithoutSpacesOnlyTheUnknownOnesAreReplaced) {
  const auto tokenizer = learned("char", "我喜欢和。 ab");
  const SourceWords source{{"I", "like", "Łódź", "Żory"}, {0, 1, 2, 2, 3}};
  const auto replaced = [&](const std::vector<std::string>& pieces, std::vector<int32_t> aligned) {
    aligned.push_back(-1);
    return replace_unknown(ids(*tokenizer, pieces), *tokenizer,
                           {source, aligned, WordDictionary()});
  };
  // Two tokens of one word are the word once.
  EXPECT_EQ(replaced({"我", "喜", "欢", "?", "?", "。"}, {0, 1, 1, 2, 3, 3}), "我喜欢Łódź。");
  EXPECT_EQ(replaced({"?", "欢", "?"}, {2, 1, 2}), "Łódź欢Łódź");
  EXPECT_EQ(replaced({"欢", "?", "和", "?"}, {0, 2, 0, 4}), "欢Łódź和Żory");
  EXPECT_EQ(replaced({"欢", "?", "?"}, {0, 2, 4}), "欢Łódź Żory");
  EXPECT_EQ(replaced({"欢", "?", "?", "和"}, {0, -1, 4, 0}), "欢\u2047Żory和");
  // Other words of the line are widened to as before.
  EXPECT_EQ(replaced({"欢", "?", " ", "a", "?", "b"}, {0, 2, 0, 0, 4, 4}), "欢Łódź Żory");
}

TEST(UnknownWords, OfASourceWithoutSpacesTheTokenIsInserted) {
  const SourceWords source{{"張三喜歡", "Łódź"}, {0, 0, 0, 1}, {"張", "三", "喜歡", "Łódź"}};
  const auto words = learned("word", "Mr likes b");
  EXPECT_EQ(replace_unknown(ids(*words, {"Mr", "?", "likes", "?"}), *words,
                            {source, std::vector{0, 1, 2, 3, 0}, dictionary("三 San\n")}),
            "Mr San likes Łódź");
  const auto characters = learned("char", "喜欢");
  EXPECT_EQ(replace_unknown(ids(*characters, {"?", "?", "喜", "欢"}), *characters,
                            {source, std::vector{0, 1, 2, 2, 3}, WordDictionary()}),
            "張三喜欢");
}

TEST(SourceWords, KnowTheTextOfEveryToken) {
  for (const std::string type : {"char", "codes", "unigram", "word"}) {
    const auto tokenizer = learned(type, "a bad cab has a bad bed and a dead head in it");
    const SourceWords words = source_words("a 張三", *tokenizer);
    ASSERT_EQ(words.pieces.size(), words.of_tokens.size()) << type;
    std::string text;
    for (size_t i = 0; i < words.pieces.size(); ++i) {
      if (words.of_tokens[i] == 1) text += words.pieces[i];
    }
    EXPECT_EQ(text, "張三") << type;
  }
}

TEST(WordDictionary, TakesTwoWordsALine) {
  const WordDictionary words = dictionary("Haus\thouse\nHund dog\nHaus home\n");
  EXPECT_EQ(words.translate("Haus"), "house");
  EXPECT_EQ(words.translate("Hund"), "dog");
  EXPECT_EQ(words.translate("Katze"), "Katze");
}

TEST(WordDictionary, RefusesOtherLines) {
  for (const std::string text : {"a b\nHaus\n", "a b\na b c\n", "a b\n\n", "a b\na \xff\n"}) {
    try {
      dictionary(text);
      FAIL() << text;
    } catch (const FormatError& error) {
      EXPECT_THAT(error.what(), HasSubstr("words:2: "));
    }
  }
}

}  // namespace
}  // namespace skein
