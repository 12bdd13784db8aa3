#include "skein/decode/reranker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "decode/copy_scorer.h"
#include "decode/random_transformer.h"
#include "skein/base/error.h"
#include "skein/decode/batched_scores.h"

namespace skein {
namespace {

class RerankerTest : public testing::Test {
 protected:
  std::vector<int32_t> encoded(const std::string& text) const {
    std::vector<int32_t> tokens;
    tokenizer_->encode(text, tokens);
    tokens.push_back(kEosId);
    return tokens;
  }

  // log p(target | source), or log p(target) of a language model, by itself.
  double log_probability(const Model& model, const std::string& source,
                         const std::string& target) const {
    const std::vector<int32_t> given =
        model.has_source() ? encoded(source) : std::vector<int32_t>{};
    const std::vector<int32_t> scored = encoded(target);
    const ScoreRequest request{.source = given, .target = scored};
    return batched_scores(model, std::span(&request, 1), 4096)[0].log_probability;
  }

  ChannelModel channel() const { return {*channel_, *tokenizer_, *tokenizer_}; }

  std::unique_ptr<Tokenizer> tokenizer_ = letters();
  int64_t vocabulary_ = tokenizer_->vocabulary().size();
  std::unique_ptr<Model> channel_ = random_transformer(vocabulary_, DType::kF32);
  std::unique_ptr<Model> language_ = random_language_model(vocabulary_);
};

TEST_F(RerankerTest, CombinesThreeLogProbabilities) {
  const LanguageModel language{*language_, *tokenizer_};
  const Reranker reranker(channel(), &language,
                          {.channel_weight = 0.5, .language_weight = 0.25, .length_penalty = 1});
  std::vector<Hypothesis> hypotheses = {{.tokens = {7, 8, kEosId}, .token_scores = {-1, -2, -3}},
                                        {.tokens = {9, kEosId}, .token_scores = {-1, -1}}};
  std::vector<RerankedText> texts = {{"a source", "first", &hypotheses[0]},
                                     {"another", "the second", &hypotheses[1]}};
  reranker.rescore(texts);
  for (const RerankedText& text : texts) {
    const std::string source(text.source);
    const std::string target(text.target);
    EXPECT_NEAR(text.scores.channel, log_probability(*channel_, target, source), 1e-4);
    EXPECT_NEAR(text.scores.language, log_probability(*language_, "", target), 1e-4);
  }
  EXPECT_EQ(texts[0].scores.direct, -6);
  // Three target tokens; "a source" has eight letters and its end.
  EXPECT_NEAR(hypotheses[0].score,
              -6.0 / 3 + (0.5 * texts[0].scores.channel + 0.25 * texts[0].scores.language) / 9,
              1e-5);
  EXPECT_NEAR(hypotheses[1].score,
              -2.0 / 2 + (0.5 * texts[1].scores.channel + 0.25 * texts[1].scores.language) / 8,
              1e-5);
}

TEST_F(RerankerTest, WhatAModelCannotReadComesLast) {
  std::vector<Hypothesis> hypotheses = {{.tokens = {kEosId}, .token_scores = {-1}}};
  std::vector<RerankedText> texts = {{"a source", std::string(70, 'a'), &hypotheses[0]}};
  const std::string long_text(70, 'a');
  texts[0].target = long_text;
  Reranker(channel(), nullptr, {.channel_weight = 1}).rescore(texts);
  EXPECT_EQ(hypotheses[0].score, -std::numeric_limits<double>::infinity());
  Reranker(channel(), nullptr, {.channel_weight = 0}).rescore(texts);
  EXPECT_EQ(hypotheses[0].score, -1);
}

TEST_F(RerankerTest, RefusesModelsOfTheWrongKind) {
  const LanguageModel translates{*channel_, *tokenizer_};
  EXPECT_THROW(Reranker({*language_, *tokenizer_, *tokenizer_}, nullptr, {}), UsageError);
  EXPECT_THROW(Reranker(channel(), &translates, {}), UsageError);
  for (const double weight : {std::nan(""), HUGE_VAL, -1.0}) {
    EXPECT_THROW(Reranker(channel(), nullptr, {.channel_weight = weight}), UsageError);
    EXPECT_THROW(Reranker(channel(), nullptr, {.language_weight = weight}), UsageError);
  }
}

}  // namespace
}  // namespace skein
