#include "skein/decode/score_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "decode/copy_scorer.h"
#include "decode/random_transformer.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/decode/model_scorer.h"
#include "skein/decode/translator.h"

namespace skein {
namespace {

using testing::HasSubstr;

class ScoreStreamTest : public testing::Test {
 protected:
  ScoreStreamTest() { set_threads(1); }
  ~ScoreStreamTest() override { set_threads(threads_); }

  std::vector<std::string> score(const std::string& source, const std::string& target,
                                 const ScoreOptions& options = {}) {
    LineReader sources(memory_stream(source, "source"), "source");
    LineReader targets(memory_stream(target, "target"), "target");
    std::vector<std::string> lines;
    counts_ = score_stream(sources, targets, {*model_, *tokenizer_, *tokenizer_}, options,
                           [&](std::string_view text) {
                             std::istringstream stream{std::string(text)};
                             for (std::string line; std::getline(stream, line);) {
                               lines.push_back(line);
                             }
                           });
    return lines;
  }

  std::string message(const std::string& source, const std::string& target) {
    try {
      score(source, target);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  int threads_ = threads();
  std::unique_ptr<Tokenizer> tokenizer_ = letters();
  std::unique_ptr<Transformer> model_ =
      random_transformer(tokenizer_->vocabulary().size(), DType::kF32);
  ScoreCounts counts_;
  int compared_ = 0;
};

TEST_F(ScoreStreamTest, GivesWhatTheSearchGaveItsTranslations) {
  const Translator translator([&] { return std::make_unique<ModelScorer>(*model_); }, *tokenizer_,
                              *tokenizer_,
                              {.search = {.max_length_a = 0, .max_length_b = 12}, .n_best = 5});
  const EncodedLine source = translator.encode({.source = "a source."});
  // Of a hypothesis with unknown words the text does not tell the tokens.
  const auto translations = translator.translate(std::span(&source, 1));
  for (const TranslatedText& each : translations[0].hypotheses) {
    const auto json = nlohmann::json::parse(
        score("a source.\n", each.text + "\n", {.format = ScoreFormat::kJsonLines}).at(0));
    std::vector<std::string> tokens;
    for (const int32_t token : each.search.tokens) {
      tokens.push_back(tokenizer_->vocabulary().piece(token));
    }
    if (json.at("tokens") != nlohmann::json(tokens)) continue;
    ++compared_;
    const double length = static_cast<double>(tokens.size());
    EXPECT_NEAR(json.at("log_probability").get<double>() / length, each.search.score, 1e-3);
  }
  EXPECT_GT(compared_, 0);
}

TEST_F(ScoreStreamTest, PairsComeInTheirOrderWhateverTheBatches) {
  const std::string source = "one\na longer line\nb\n\n";
  const std::string target = "eins\nlang\nnoch etwas\nleer\n";
  const auto together = score(source, target);
  const auto alone = score(source, target, {.batch_tokens = 1, .window = 1});
  ASSERT_EQ(together.size(), 4u);
  ASSERT_EQ(alone.size(), 4u);
  double sum = 0;
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(std::stod(together[i]), std::stod(alone[i]), 1e-3);
    sum += std::stod(alone[i]);
  }
  EXPECT_NEAR(counts_.log_probability, sum, 1e-3);
  EXPECT_EQ(counts_.target_tokens, 5 + 5 + 11 + 5);
}

TEST_F(ScoreStreamTest, TextsOfDifferentLengthAreRefusedWithBothCounts) {
  EXPECT_THAT(message("a\nb\nc\n", "a\n"), HasSubstr("source has 3 lines and target has 1"));
  EXPECT_THAT(message("a\n", "a\nb\n"), HasSubstr("source has 1 lines and target has 2"));
}

TEST_F(ScoreStreamTest, ABadLineIsNamed) {
  EXPECT_THAT(message("a\nb\n", "a\n\xff\n"), HasSubstr("target:2: byte 1 (0xFF)"));
  EXPECT_THAT(message(std::string(64, 'a') + "\n", "a\n"),
              HasSubstr("source:1: the line has 64 tokens and the model has positions for 63"));
}

TEST_F(ScoreStreamTest, ASkippedPairHasNoScore) {
  const auto lines = score("a\nb\n", "\xff\nb\n", {.on_bad_line = OnBadLine::kSkip});
  EXPECT_EQ(lines.at(0), "nan");
  EXPECT_LT(std::stod(lines.at(1)), 0);
  EXPECT_EQ(counts_.skipped, 1);
  const auto json = nlohmann::json::parse(
      score("a\n", "\xff\n", {.format = ScoreFormat::kJsonLines, .on_bad_line = OnBadLine::kSkip})
          .at(0));
  EXPECT_THAT(json.at("error").get<std::string>(), HasSubstr("target:1"));
  EXPECT_FALSE(json.contains("log_probability"));
}

}  // namespace
}  // namespace skein
