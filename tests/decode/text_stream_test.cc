#include "skein/decode/text_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/base/random.h"
#include "skein/text/tokenizers.h"
#include "skein/text/utf8.h"

namespace skein {
namespace {

const std::vector<std::string> kText = {"die Gänse ziehen über den See", "a goose flies over it",
                                        "und der Schnee fällt auf das Land"};

std::unique_ptr<Tokenizer> learned(const std::string& type) {
  size_t next = 0;
  return learn_tokenizer(type, {.size = type == "bpe" ? 45 : 36}, [&](std::string& line) {
    if (next == kText.size()) return false;
    line = kText[next++];
    return true;
  });
}

class TextStreamOf : public testing::TestWithParam<std::string> {};

TEST_P(TextStreamOf, AddsUpToTheTextOfTheTokens) {
  const auto tokenizer = learned(GetParam());
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    std::vector<int32_t> tokens;
    for (uint64_t count = random.below(i % 5 == 0 ? 300 : 12); count > 0; --count) {
      tokens.push_back(static_cast<int32_t>(
          random.below(static_cast<uint64_t>(tokenizer->vocabulary().size()))));
    }
    TextStream stream(*tokenizer);
    std::string text;
    for (const int32_t token : tokens) text += stream.add(token);
    text += stream.finish();
    EXPECT_EQ(text, tokenizer->decode(tokens));
  }
}

TEST_P(TextStreamOf, GivesTextAtOnce) {
  const auto tokenizer = learned(GetParam());
  std::vector<int32_t> tokens;
  tokenizer->encode(kText[1], tokens);
  TextStream stream(*tokenizer);
  std::string text;
  for (const int32_t token : tokens) {
    text += stream.add(token);
    EXPECT_TRUE(kText[1].starts_with(text)) << text;
  }
  EXPECT_EQ(text, kText[1]);
}

INSTANTIATE_TEST_SUITE_P(Types, TextStreamOf,
                         testing::Values("word", "char", "codes", "bpe", "unigram"),
                         [](const auto& info) { return info.param; });

// Every byte is a token, as where SentencePiece falls back to bytes.
class Bytes final : public Tokenizer {
 public:
  std::string type() const override { return "bytes"; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  Normalization normalization() const override { return Normalization::kNone; }
  std::string serialize() const override { return {}; }
  // What is no whole character is shown byte by byte as the replacement character.
  std::string decode(std::span<const int32_t> ids) const override {
    std::string text;
    for (size_t i = 0; i < ids.size();) {
      const size_t length = utf8_length(static_cast<char>(ids[i]));
      if (i + length > ids.size()) {
        text += "\uFFFD";
        ++i;
      } else {
        for (size_t end = i + length; i < end; ++i) text += static_cast<char>(ids[i]);
      }
    }
    return text;
  }

 protected:
  std::vector<std::string> split(std::string_view text) const override {
    return {std::string(text)};
  }

 private:
  Vocabulary vocabulary_;
};

// Decodes to a letter a token, but `o:` is written `ö`.
class Ligatures final : public Tokenizer {
 public:
  std::string type() const override { return "ligatures"; }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  Normalization normalization() const override { return Normalization::kNone; }
  std::string serialize() const override { return {}; }
  std::string decode(std::span<const int32_t> ids) const override {
    most_ = std::max(most_, ids.size());
    std::string text(ids.begin(), ids.end());
    for (size_t at = 0; (at = text.find("o:")) != std::string::npos;) text.replace(at, 2, "ö");
    return text;
  }
  size_t most_decoded() const { return most_; }

 protected:
  std::vector<std::string> split(std::string_view text) const override {
    return {std::string(text)};
  }

 private:
  Vocabulary vocabulary_;
  mutable size_t most_ = 0;
};

TEST(TextStream, GoesOnWhereATokenChangesTheTextBeforeIt) {
  const Ligatures ligatures;
  TextStream stream(ligatures);
  EXPECT_EQ(stream.add('h'), "h");
  EXPECT_EQ(stream.add('o'), "o");
  EXPECT_EQ(stream.add(':'), "ö");
  EXPECT_EQ(stream.add('r'), "r");
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStream, DecodesAFewTokensAtATime) {
  const Ligatures letters;
  TextStream stream(letters);
  std::string expected, text;
  for (int i = 0; i < 1000; ++i) {
    expected += static_cast<char>('a' + i % 14);
    text += stream.add(expected.back());
  }
  EXPECT_EQ(text, expected);
  EXPECT_LE(letters.most_decoded(), 64u);
}

TEST(TextStream, WaitsForTheEndOfACharacter) {
  const Bytes bytes;
  TextStream stream(bytes);
  EXPECT_EQ(stream.add('a'), "a");
  EXPECT_EQ(stream.add(0xC3), "");
  EXPECT_EQ(stream.add(0xA4), "ä");
  EXPECT_EQ(stream.add(0xE2), "");
  EXPECT_EQ(stream.finish(), "\uFFFD");
}

}  // namespace
}  // namespace skein
