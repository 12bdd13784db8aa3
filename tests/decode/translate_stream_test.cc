#include "skein/decode/translate_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "decode/copy_scorer.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Lines that are not all there at once: ready() after the first `burst` bytes only.
class SlowStream : public ByteStream {
 public:
  explicit SlowStream(std::vector<std::string> bursts) : bursts_(std::move(bursts)) {}
  size_t read(std::span<char> out) override {
    waited_ = true;
    if (next_ == bursts_.size()) return 0;
    const std::string& burst = bursts_[next_++];
    std::copy(burst.begin(), burst.end(), out.begin());
    return burst.size();
  }
  bool ready() const override { return !waited_; }

 private:
  std::vector<std::string> bursts_;
  size_t next_ = 0;
  bool waited_ = false;
};

class TranslateStreamTest : public testing::Test {
 protected:
  void run(LineReader reader, const StreamOptions& options, const TranslatorOptions& search = {}) {
    const int64_t vocabulary = tokenizer_->vocabulary().size();
    const Translator translator(
        [=, most = target_positions_] {
          return std::make_unique<CopyScorer>(vocabulary, 12, most);
        },
        *tokenizer_, *tokenizer_, search);
    counts_ = translate_stream(*text_source(std::move(reader)), translator, options,
                               [&](std::string_view text) { writes_.emplace_back(text); });
  }

  void run(const std::string& text, const StreamOptions& options,
           const TranslatorOptions& search = {}) {
    run(LineReader(memory_stream(text, "input"), "input"), options, search);
  }

  std::string output() const {
    std::string all;
    for (const std::string& each : writes_) all += each;
    return all;
  }

  std::unique_ptr<Tokenizer> tokenizer_ = letters();
  int64_t target_positions_ = 12;
  std::vector<std::string> writes_;
  StreamCounts counts_;
};

TEST_F(TranslateStreamTest, ALineInIsALineOut) {
  run("one\n\ntwo\nno line feed", {.window = 2}, {});
  EXPECT_THAT(writes_, ElementsAre("one\n\n", "two\nno line feed\n"));
  EXPECT_EQ(counts_.lines, 4);
  EXPECT_EQ(counts_.empty, 1);
  EXPECT_EQ(counts_.split, 1);
}

TEST_F(TranslateStreamTest, NothingInIsNothingOut) {
  run("", {});
  EXPECT_EQ(output(), "");
  EXPECT_EQ(counts_.lines, 0);
}

TEST_F(TranslateStreamTest, ASlowInputGetsEveryLineAtOnce) {
  run(LineReader(std::make_unique<SlowStream>(std::vector<std::string>{"one\n", "two\nthree\n"}),
                 "input"),
      {});
  EXPECT_THAT(writes_, ElementsAre("one\n", "two\nthree\n"));
}

TEST_F(TranslateStreamTest, ABadLineStopsBehindTheTranslationsBeforeIt) {
  try {
    run("one\nx\xffy\nthree\n", {});
    FAIL() << "the bad line went unnoticed";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("input:2: byte 2 (0xFF) of the line is not UTF-8"));
    EXPECT_THAT(error.what(), HasSubstr("--on-error skip"));
  }
  EXPECT_EQ(output(), "one\n");
}

TEST_F(TranslateStreamTest, ABadLineThatIsSkippedIsEmptyAndCounted) {
  run("one\nx\xffy\nthree\n", {.on_bad_line = OnBadLine::kSkip});
  EXPECT_EQ(output(), "one\n\nthree\n");
  EXPECT_EQ(counts_.skipped, 1);
  EXPECT_EQ(counts_.empty, 0);
}

TEST_F(TranslateStreamTest, WhatBecomesOfLongLinesIsCounted) {
  run("a line that is long\n", {}, {.long_lines = LongLines::kTruncate});
  EXPECT_EQ(output(), "a line that\n");
  EXPECT_EQ(counts_.truncated, 1);
  run("a line that is long\n", {.on_bad_line = OnBadLine::kSkip},
      {.long_lines = LongLines::kRefuse});
  EXPECT_EQ(counts_.skipped, 1);
}

TEST_F(TranslateStreamTest, TranslationsEndedByTheMaximumLengthAreCounted) {
  run("abcdef\n", {}, {.search = {.max_length_a = 0, .max_length_b = 2}});
  EXPECT_EQ(counts_.cut, 1);
}

TEST_F(TranslateStreamTest, TranslationsThatTheModelMakesShorterThanTheirSourcesAreCounted) {
  target_positions_ = 5;
  run("abcdef\nabcd\n", {}, {.search = {.match_source_length = true}});
  EXPECT_EQ(output(), "abcd\nabcd\n");
  EXPECT_EQ(counts_.shorter, 1);
}

TEST_F(TranslateStreamTest, NBestTextNumbersTheSentencesFromZero) {
  run("ab\n\nc\n", {.style = {.format = TranslationFormat::kNBestText}},
      {.search = {.beam = 2, .max_length_a = 0, .max_length_b = 2}, .n_best = 2});
  std::vector<std::string> begins;
  std::istringstream lines(output());
  for (std::string line; std::getline(lines, line);) {
    begins.push_back(line.substr(0, line.rfind(" ||| ")));
  }
  ASSERT_EQ(begins.size(), 5u);
  EXPECT_EQ(begins[0], "0 ||| ab");
  EXPECT_EQ(begins[2], "1 ||| ");
  EXPECT_EQ(begins[3], "2 ||| c");
}

TEST_F(TranslateStreamTest, JsonTellsTokensAndScores) {
  run("ab\n\xff\n",
      {.style = {.format = TranslationFormat::kJsonLines}, .on_bad_line = OnBadLine::kSkip});
  std::istringstream lines(output());
  std::string line;
  std::getline(lines, line);
  const auto good = nlohmann::json::parse(line);
  EXPECT_EQ(good.at("line"), 1);
  EXPECT_EQ(good.at("source"), "ab");
  const auto& best = good.at("hypotheses").at(0);
  EXPECT_EQ(best.at("text"), "ab");
  EXPECT_THAT(best.at("tokens").get<std::vector<std::string>>(), ElementsAre("a", "b", "</s>"));
  EXPECT_EQ(best.at("token_scores").size(), 3u);
  EXPECT_FALSE(good.contains("error"));
  std::getline(lines, line);
  const auto bad = nlohmann::json::parse(line);
  EXPECT_TRUE(bad.at("hypotheses").empty());
  EXPECT_THAT(bad.at("error").get<std::string>(), HasSubstr("not UTF-8"));
}

TEST_F(TranslateStreamTest, AConstraintThatCannotBeMetStopsBehindTheTranslationsBeforeIt) {
  const int64_t vocabulary = tokenizer_->vocabulary().size();
  const Translator translator([=] { return std::make_unique<CopyScorer>(vocabulary, 12); },
                              *tokenizer_, *tokenizer_,
                              {.search = {.max_length_a = 0, .max_length_b = 3}});
  const std::string text = R"({"source": "abc"}
{"source": "abc", "constraints": ["wxyz"]}
{"source": "cba"}
)";
  const auto run_json = [&](const StreamOptions& options) {
    const auto reader = json_source(LineReader(memory_stream(text, "input"), "input"));
    counts_ = translate_stream(*reader, translator, options,
                               [&](std::string_view out) { writes_.emplace_back(out); });
  };
  try {
    run_json({});
    FAIL() << "four letters in three tokens";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("input:2: no translation of at most 3 tokens meets"));
  }
  EXPECT_EQ(output(), "abc\n");
  writes_.clear();
  run_json({.on_bad_line = OnBadLine::kSkip});
  EXPECT_EQ(output(), "abc\n\ncba\n");
  EXPECT_EQ(counts_.skipped, 1);
}

TEST_F(TranslateStreamTest, ErrorsNameTheFileOfWhatIsWrong) {
  const int64_t vocabulary = tokenizer_->vocabulary().size();
  const Translator translator([=] { return std::make_unique<CopyScorer>(vocabulary, 12); },
                              *tokenizer_, *tokenizer_, {});
  const auto error_of = [&](const std::string& prefixes, const std::string& constraints) {
    SourceCompanions companions;
    companions.prefixes.emplace(memory_stream(prefixes, "begin"), "begin");
    companions.constraints.emplace(memory_stream(constraints, "terms"), "terms");
    const auto reader = text_source(LineReader(memory_stream("one\ntwo\n", "input"), "input"),
                                    std::move(companions));
    try {
      translate_stream(*reader, translator, {}, [](std::string_view) {});
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error_of("\nß\n", "\n\n"), StartsWith("begin:2: the prefix 'ß' has characters"));
  EXPECT_THAT(error_of("\nx\xff\n", "\n\n"), StartsWith("begin:2: the prefix: byte 2 (0xFF)"));
  EXPECT_THAT(error_of("\nabcdefghijkl\n", "\n\n"), StartsWith("begin:2: the prefix has 12"));
  EXPECT_THAT(error_of("\n\n", "a\nb\tß\n"), StartsWith("terms:2: the constraint 'ß' has"));
  EXPECT_THAT(error_of("\n\n", "a\nx\xff\n"), StartsWith("terms:2: the constraint: byte 2"));
  EXPECT_EQ(error_of("\n\n", "a\n\n"), "no error");
}

TEST_F(TranslateStreamTest, AWindowIsBoundedByAllTextOfItsLines) {
  const std::string large(size_t{1} << 22, 'x');
  const auto reader =
      json_source(LineReader(memory_stream(R"({"source": "a", "prefix": ")" + large +
                                               "\"}\n"
                                               R"({"source": "a", "constraints": [")" +
                                               large +
                                               "\"]}\n"
                                               R"({"source": "b"})"
                                               "\n"
                                               R"({"source": "c"})",
                                           "input"),
                             "input"));
  const int64_t vocabulary = tokenizer_->vocabulary().size();
  const Translator translator([=] { return std::make_unique<CopyScorer>(vocabulary, 12); },
                              *tokenizer_, *tokenizer_, {});
  translate_stream(*reader, translator, {.on_bad_line = OnBadLine::kSkip},
                   [&](std::string_view out) { writes_.emplace_back(out); });
  EXPECT_THAT(writes_, ElementsAre("\n", "\n", "b\nc\n"));
}

TEST_F(TranslateStreamTest, JsonHasNoScoreThatIsNoNumber) {
  const double infinite = -std::numeric_limits<double>::infinity();
  const TranslatedLine line{
      .source = {.number = 1, .source = "a"},
      .translation = {
          .hypotheses = {
              {.text = "b",
               .search = {.tokens = {4, kEosId}, .token_scores = {-1, -1}, .score = infinite},
               .channel = ChannelScores{-2, infinite, 0}}}}};
  std::string out;
  append_translation(line, {.format = TranslationFormat::kJsonLines}, tokenizer_->vocabulary(),
                     out);
  const auto hypothesis = nlohmann::json::parse(out).at("hypotheses").at(0);
  EXPECT_FALSE(hypothesis.contains("score"));
  EXPECT_FALSE(hypothesis.contains("channel_score"));
  EXPECT_EQ(hypothesis.at("direct_score"), -2);
  EXPECT_EQ(hypothesis.at("language_score"), 0);
}

TEST_F(TranslateStreamTest, AlignmentsStandBehindTheText) {
  const TranslatedLine line{
      .source = {.number = 3, .source = "a b"},
      .translation = {
          .hypotheses = {{.text = "c d",
                          .search = {.tokens = {4, kEosId}, .token_scores = {-1, -1}, .score = -1},
                          .alignment = {{0, 0}, {0, 1}}}}}};
  const auto written = [&](TranslationFormat format) {
    std::string out;
    append_translation(line, {.format = format, .alignment = true}, tokenizer_->vocabulary(), out);
    return out;
  };
  EXPECT_EQ(written(TranslationFormat::kText), "c d ||| 0-0 0-1\n");
  EXPECT_EQ(written(TranslationFormat::kNBestText), "2 ||| c d ||| -1.000000 ||| 0-0 0-1\n");
  const auto json = nlohmann::json::parse(written(TranslationFormat::kJsonLines));
  EXPECT_EQ(json.at("hypotheses").at(0).at("alignment"), nlohmann::json::parse("[[0,0],[0,1]]"));
}

}  // namespace
}  // namespace skein
