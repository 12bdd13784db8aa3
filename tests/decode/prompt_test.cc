// A search behind a prompt that the model has read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "decode/random_transformer.h"
#include "error_of.h"
#include "skein/base/error.h"
#include "skein/base/random.h"
#include "skein/decode/beam_search.h"
#include "skein/decode/language_model_scorer.h"
#include "skein/text/vocabulary.h"

namespace skein {
namespace {

using testing::HasSubstr;
using Tokens = std::vector<int32_t>;

constexpr int64_t kWords = 30;

class PromptTest : public testing::Test {
 protected:
  std::vector<std::vector<Hypothesis>> search(const std::vector<SearchOptions>& options) const {
    LanguageModelScorer scorer(*model_);
    PackedSequences nothing;
    for (size_t i = 0; i < options.size(); ++i) nothing.append(Tokens{kEosId});
    return beam_search(scorer, nothing, options);
  }

  static Tokens random_prompt(Random& random, size_t length) {
    Tokens prompt(length);
    for (int32_t& token : prompt) {
      token = static_cast<int32_t>(kSpecialTokens + random.below(kWords - kSpecialTokens));
    }
    return prompt;
  }

  std::unique_ptr<Model> model_ = random_language_model(kWords);
};

// A forced prefix, of which the rest is cut off, is the other way.
TEST_F(PromptTest, IsGoneOnWithLikeAForcedPrefix) {
  Random random(3);
  for (const size_t length : {0, 1, 2, 7, 20}) {
    const Tokens prompt = random_prompt(random, length);
    const auto read = search({{.beam = 1,
                               .max_length_a = 0,
                               .max_length_b = 10,
                               .no_repeat_ngram = 2,
                               .prompt = prompt}});
    const auto forced = search({{.beam = 1,
                                 .max_length_a = 0,
                                 .max_length_b = 10 + static_cast<double>(length),
                                 .no_repeat_ngram = 2,
                                 .prefix = prompt}});
    Tokens expected = forced[0][0].tokens;
    expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(read[0][0].tokens, expected) << length;
    const std::vector<float>& all = forced[0][0].token_scores;
    EXPECT_EQ(read[0][0].token_scores,
              std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(length), all.end()));
  }
}

TEST_F(PromptTest, OfAnyLengthDoesNotDependOnTheOthersToTheBit) {
  Random random(4);
  std::vector<SearchOptions> options;
  for (const size_t length : {4, 9, 1, 4, 0, 13}) {
    options.push_back({.beam = 3, .max_length_a = 0, .max_length_b = 8});
    options.back().prompt = random_prompt(random, length);
  }
  for (const size_t first : {size_t{0}, size_t{1}, size_t{3}}) {
    const std::vector<SearchOptions> some(options.begin() + static_cast<std::ptrdiff_t>(first),
                                          options.end() - static_cast<std::ptrdiff_t>(first));
    const auto together = search(some);
    for (size_t i = 0; i < some.size(); ++i) {
      const auto alone = search({some[i]});
      ASSERT_EQ(alone[0].size(), together[i].size());
      for (size_t k = 0; k < alone[0].size(); ++k) {
        EXPECT_EQ(alone[0][k].tokens, together[i][k].tokens);
        EXPECT_EQ(alone[0][k].token_scores, together[i][k].token_scores);
      }
    }
  }
}

// More tokens than a model reads at once.
TEST_F(PromptTest, LongOnesAreReadInParts) {
  Random random(6);
  model_ = random_language_model(kWords, 700);
  const Tokens prompt = random_prompt(random, 600);
  const SearchOptions read{.beam = 1, .max_length_a = 0, .max_length_b = 5, .prompt = prompt};
  const SearchOptions forced{.beam = 1, .max_length_a = 0, .max_length_b = 605, .prefix = prompt};
  Tokens expected = search({forced})[0][0].tokens;
  expected.erase(expected.begin(), expected.begin() + 600);
  EXPECT_EQ(search({read})[0][0].tokens, expected);
}

TEST_F(PromptTest, MeetsNoConstraintAndCountsForNoLength) {
  const Tokens words = {7, 8, 9};
  const auto found = search({{.beam = 4,
                              .min_length = 5,
                              .max_length_a = 0,
                              .max_length_b = 9,
                              .prompt = words,
                              .constraints = {words}}});
  ASSERT_FALSE(found[0].empty());
  for (const Hypothesis& each : found[0]) {
    EXPECT_GE(each.tokens.size(), 6U);
    EXPECT_LE(each.tokens.size(), 10U);
    EXPECT_NE(std::search(each.tokens.begin(), each.tokens.end(), words.begin(), words.end()),
              each.tokens.end());
  }
}

TEST_F(PromptTest, BeyondTheModelsPositionsIsRefused) {
  const auto longest = static_cast<size_t>(model_->max_target_length());
  const auto sentence = [&](size_t length) {
    return error_of<UsageError>([&] { search({{.prompt = Tokens(length, 7)}}); });
  };
  EXPECT_EQ(sentence(longest - 1), "no error");
  EXPECT_THAT(sentence(longest), HasSubstr("tokens are given to begin with"));
  EXPECT_THAT(error_of<UsageError>([&] { search({{.prompt = {kEosId}}}); }),
              HasSubstr("the prompt holds token 2"));
}

}  // namespace
}  // namespace skein
