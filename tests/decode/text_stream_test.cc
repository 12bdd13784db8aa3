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
    for (uint64_t count = random.below(12); count > 0; --count) {
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
