// Search with a real model: what holds for its distribution holds for its translations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "decode/random_transformer.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/base/random.h"
#include "skein/decode/beam_search.h"
#include "skein/decode/model_scorer.h"
#include "skein/decode/score.h"
#include "skein/text/vocabulary.h"

namespace skein {
namespace {

constexpr int64_t kVocabulary = 83;

PackedSequences random_sources(size_t count, uint64_t seed) {
  Random random(seed);
  PackedSequences sources;
  for (size_t i = 0; i < count; ++i) {
    std::vector<int32_t> tokens(1 + random.below(25));
    for (int32_t& token : tokens) {
      token = kSpecialTokens + static_cast<int32_t>(random.below(kVocabulary - kSpecialTokens));
    }
    tokens.push_back(kEosId);
    sources.append(tokens);
  }
  return sources;
}

// One thread: these searches are too small for two.
class TransformerSearch : public testing::TestWithParam<DType> {
 protected:
  TransformerSearch() { set_threads(1); }
  ~TransformerSearch() override { set_threads(threads_); }

 private:
  int threads_ = threads();
};

void expect_identical(const std::vector<Hypothesis>& alone,
                      const std::vector<Hypothesis>& together) {
  ASSERT_EQ(alone.size(), together.size());
  for (size_t k = 0; k < alone.size(); ++k) {
    EXPECT_EQ(alone[k].tokens, together[k].tokens);
    EXPECT_EQ(alone[k].token_scores, together[k].token_scores);
    EXPECT_EQ(alone[k].score, together[k].score);
  }
}

TEST_P(TransformerSearch, ATranslationIsIdenticalWhateverElseIsInTheBatch) {
  const auto model = random_transformer(kVocabulary, GetParam());
  ModelScorer scorer(*model);
  const PackedSequences sources = random_sources(24, 1);
  std::vector<SearchOptions> options;
  for (size_t i = 0; i < sources.sentences(); ++i) {
    options.push_back(
        {.beam = 1 + static_cast<int64_t>(i * i) % 23, .max_length_a = 0, .max_length_b = 20});
  }
  const auto together = beam_search(scorer, sources, options);
  for (size_t i = 0; i < sources.sentences(); ++i) {
    SCOPED_TRACE(i);
    PackedSequences alone;
    alone.append(sources.sentence(i));
    expect_identical(beam_search(scorer, alone, options[i]).front(), together[i]);
  }
}

TEST_P(TransformerSearch, ATranslationDoesNotDependOnTheNumberOfThreads) {
  const auto model = random_transformer(kVocabulary, GetParam());
  ModelScorer scorer(*model);
  const PackedSequences sources = random_sources(4, 2);
  const SearchOptions options{.beam = 4, .max_length_a = 0, .max_length_b = 8};
  const auto one = beam_search(scorer, sources, options);
  set_threads(2);
  const auto two = beam_search(scorer, sources, options);
  for (size_t i = 0; i < sources.sentences(); ++i) expect_identical(one[i], two[i]);
}

Batch batch_of(const PackedSequences& sources, const std::vector<std::vector<Hypothesis>>& found) {
  Batch batch;
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Hypothesis& hypothesis : found[i]) {
      std::vector<int32_t> input = {kEosId};
      input.insert(input.end(), hypothesis.tokens.begin(), hypothesis.tokens.end() - 1);
      batch.source.append(sources.sentence(i));
      batch.target_input.append(input);
      batch.target.append(hypothesis.tokens);
    }
  }
  return batch;
}

TEST_P(TransformerSearch, ScoresOfHypothesesEqualThoseOfGivenTranslations) {
  const auto model = random_transformer(kVocabulary, GetParam());
  ModelScorer scorer(*model);
  const PackedSequences sources = random_sources(9, 3);
  const auto found = beam_search(scorer, sources, SearchOptions{.beam = 5, .max_length_b = 15});
  const std::vector<SentenceScore> scores = score_batch(*model, batch_of(sources, found));
  const float tolerance = GetParam() == DType::kF32 ? 2e-4F : 0.3F;
  size_t next = 0;
  for (const auto& hypotheses : found) {
    for (const Hypothesis& hypothesis : hypotheses) {
      const SentenceScore& score = scores[next++];
      EXPECT_THAT(score.token_scores,
                  testing::Pointwise(testing::FloatNear(tolerance), hypothesis.token_scores));
      const double length = static_cast<double>(hypothesis.tokens.size());
      EXPECT_NEAR(score.log_probability / length, hypothesis.score, tolerance);
    }
  }
  EXPECT_EQ(next, scores.size());
}

TEST_P(TransformerSearch, HypothesesStayWithinTheModelsPositions) {
  const auto model = random_transformer(kVocabulary, GetParam());
  ModelScorer scorer(*model);
  const SearchOptions options{
      .beam = 2, .min_length = 1000, .max_length_a = 0, .max_length_b = 1000};
  for (const auto& found : beam_search(scorer, random_sources(3, 4), options)) {
    EXPECT_EQ(found[0].tokens.size(), 64u);
    EXPECT_TRUE(found[0].cut);
  }
}

TEST_P(TransformerSearch, DamagedParametersAreAnError) {
  const auto model = random_transformer(kVocabulary, GetParam());
  Tensor values = model->parameters().parameters()[0].variable.value();
  for (float& value : values.values<float>()) value = std::nanf("");
  model->parameters().refresh_half();
  ModelScorer scorer(*model);
  const PackedSequences sources = random_sources(1, 5);
  EXPECT_THROW(beam_search(scorer, sources, SearchOptions{}), NonFiniteError);
  Batch batch;
  batch.source = sources;
  batch.target_input.append(std::vector<int32_t>{kEosId});
  batch.target.append(std::vector<int32_t>{kEosId});
  EXPECT_THROW(score_batch(*model, batch), NonFiniteError);
}

INSTANTIATE_TEST_SUITE_P(Types, TransformerSearch, testing::Values(DType::kF32, DType::kBF16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace skein
