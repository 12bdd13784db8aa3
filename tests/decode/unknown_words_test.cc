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
