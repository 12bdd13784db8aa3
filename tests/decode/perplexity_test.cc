#include "skein/decode/perplexity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/copy_scorer.h"
#include "decode/random_transformer.h"
#include "skein/base/error.h"
#include "skein/decode/batched_scores.h"

namespace skein {
namespace {

using testing::HasSubstr;

class PerplexityTest : public testing::Test {
 protected:
  PerplexityCounts measure(const std::string& text, const PerplexityOptions& options = {}) const {
    LineReader lines(memory_stream(text, "input"), "input");
    return perplexity(lines, *model_, *tokenizer_, options);
  }

  std::vector<int32_t> encoded(const std::string& line) const {
    std::vector<int32_t> tokens;
    tokenizer_->encode(line, tokens);
    tokens.push_back(kEosId);
    return tokens;
  }

  // What the model gives the tokens behind `before`.
  std::vector<float> scores(const std::vector<int32_t>& tokens, int32_t before) const {
    const ScoreRequest request{.target = tokens, .before = before};
    return batched_scores(*model_, std::span(&request, 1), 4096)[0].token_scores;
  }

  std::unique_ptr<Tokenizer> tokenizer_ = letters();
  std::unique_ptr<Model> model_ = random_language_model(tokenizer_->vocabulary().size(), 32);
};

const std::string kText = "a goose flies\nover the lake\n\nand back\n";

TEST_F(PerplexityTest, OfLinesIsThatOfEachByItself) {
  const PerplexityCounts counts = measure(kText);
  double sum = 0;
  for (const std::string line : {"a goose flies", "over the lake", "", "and back"}) {
    for (const float score : scores(encoded(line), kEosId)) sum += score;
  }
  EXPECT_EQ(counts.lines, 4);
  EXPECT_EQ(counts.tokens, 13 + 13 + 0 + 8 + 4);
  EXPECT_EQ(counts.words, 3 + 3 + 0 + 2 + 4);
  EXPECT_EQ(counts.unknown, 0);
  EXPECT_NEAR(counts.log_probability, sum, 1e-3);
  EXPECT_NEAR(counts.per_token(), std::exp(-sum / 38), 1e-2);
  EXPECT_NEAR(std::log(counts.per_word()), -sum / 12, 1e-4);
}

TEST_F(PerplexityTest, OfWindowsCountsEveryTokenOnceWithTheContextBeforeIt) {
  std::vector<int32_t> stream;
  for (const std::string line : {"a goose flies", "over the lake", "", "and back"}) {
    const auto tokens = encoded(line);
    stream.insert(stream.end(), tokens.begin(), tokens.end());
  }
  for (const auto& [context, stride] : std::vector<std::pair<size_t, size_t>>{
           {32, 32}, {10, 10}, {10, 3}, {7, 1}, {1, 1}, {19, 19}}) {
    double sum = 0;
    for (size_t begin = 0, counted = 0; counted < stream.size(); begin += stride) {
      const size_t end = std::min(begin + context, stream.size());
      const std::vector<int32_t> window(stream.begin() + static_cast<std::ptrdiff_t>(begin),
                                        stream.begin() + static_cast<std::ptrdiff_t>(end));
      const auto found = scores(window, begin == 0 ? kEosId : stream[begin - 1]);
      for (size_t t = counted - begin; t < found.size(); ++t) sum += found[t];
      counted = end;
    }
    const PerplexityCounts counts = measure(kText, {.context = static_cast<int64_t>(context),
                                                    .stride = static_cast<int64_t>(stride),
                                                    .batch_tokens = 20});
    EXPECT_EQ(counts.tokens, 38) << context << " " << stride;
    EXPECT_NEAR(counts.log_probability, sum, 1e-3) << context << " " << stride;
  }
}

// Were all windows of a line kept until its end, a book on one line would need its length times
// context over stride.
TEST_F(PerplexityTest, ALongLineIsScoredPieceByPiece) {
  std::string line;
  for (int i = 0; i < 50; ++i) line += "a goose flies. ";
  for (const int64_t stride : {8, 2}) {
    const PerplexityOptions options{.context = 8, .stride = stride, .tokens_at_once = 64};
    LineReader lines(memory_stream(line, "input"), "input");
    std::vector<int64_t> tokens;
    const PerplexityCounts counts =
        perplexity(lines, *model_, *tokenizer_, options,
                   [&](const PerplexityCounts& so_far) { tokens.push_back(so_far.tokens); });
    // 64 tokens are eight windows, each with `stride` new ones.
    ASSERT_GE(tokens.size(), 10u);
    for (size_t i = 1; i < tokens.size(); ++i) EXPECT_EQ(tokens[i] - tokens[i - 1], 8 * stride);
    PerplexityOptions together = options;
    together.tokens_at_once = 1 << 18;
    const PerplexityCounts expected = measure(line, together);
    EXPECT_EQ(counts.tokens, expected.tokens);
    EXPECT_NEAR(counts.log_probability, expected.log_probability, 1e-3);
  }
}

TEST_F(PerplexityTest, AUniformDistributionHasThePerplexityOfItsSize) {
  for (const Parameter& each : model_->parameters().parameters()) {
    Tensor values = each.variable.value();
    values.fill_zero();
  }
  model_->parameters().refresh_half();
  EXPECT_NEAR(measure(kText).per_token(), static_cast<double>(tokenizer_->vocabulary().size()),
              1e-3);
}

TEST_F(PerplexityTest, CountsUnknownTokens) { EXPECT_EQ(measure("a ß b\n").unknown, 1); }

TEST_F(PerplexityTest, ABadLineStopsOrIsLeftOut) {
  const std::string text = "good\nx\xffy\n" + std::string(40, 'a') + "\nback\n";
  try {
    measure(text);
    FAIL() << "the bad line went unnoticed";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("input:2: byte 2 (0xFF)"));
  }
  const PerplexityCounts counts = measure(text, {.on_bad_line = OnBadLine::kSkip});
  EXPECT_EQ(counts.lines, 4);
  EXPECT_EQ(counts.skipped, 2);
  EXPECT_EQ(counts.tokens, 10);
  EXPECT_EQ(counts.words, 4);
  // In windows no line is too long.
  EXPECT_EQ(measure(text, {.context = 8, .on_bad_line = OnBadLine::kSkip}).skipped, 1);
}

TEST_F(PerplexityTest, RefusesWhatMakesNoSense) {
  EXPECT_THROW(measure(kText, {.context = 33}), UsageError);
  EXPECT_THROW(measure(kText, {.context = -1}), UsageError);
  EXPECT_THROW(measure(kText, {.context = 8, .stride = 9}), UsageError);
  EXPECT_THROW(measure(kText, {.stride = 4}), UsageError);
  EXPECT_THROW(measure(kText, {.tokens_at_once = 0}), UsageError);
  const auto translates = random_transformer(tokenizer_->vocabulary().size(), DType::kF32);
  LineReader lines(memory_stream(kText, "input"), "input");
  EXPECT_THROW(perplexity(lines, *translates, *tokenizer_, {}), UsageError);
}

}  // namespace
}  // namespace skein
