#include "skein/decode/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "decode/copy_scorer.h"
#include "decode/random_transformer.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/decode/batched_scores.h"
#include "skein/decode/language_model_scorer.h"

namespace skein {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class GeneratorTest : public testing::Test {
 protected:
  GeneratorTest() { set_threads(1); }
  ~GeneratorTest() override { set_threads(threads_); }

  Generator generator(const GeneratorOptions& options) const {
    return {[this] { return std::make_unique<LanguageModelScorer>(*model_); }, *tokenizer_,
            options};
  }

  static GeneratorOptions sampled(int64_t count, const SamplingOptions& sampling = {}) {
    return {.search = {.beam = count, .sampling = sampling}, .n_best = count, .max_length = 12};
  }

  static std::vector<Prompt> prompts(const Generator& generator,
                                     const std::vector<std::string>& texts) {
    std::vector<Prompt> result;
    for (const std::string& text : texts) {
      result.push_back(generator.encode(text, std::ssize(result) + 1));
    }
    return result;
  }

  std::unique_ptr<Tokenizer> tokenizer_ = letters();
  std::unique_ptr<Model> model_ = random_language_model(tokenizer_->vocabulary().size());

 private:
  int threads_ = threads();
};

TEST_F(GeneratorTest, GoesOnWithThePrompt) {
  const Generator generator = this->generator(sampled(3));
  for (const auto& texts : generator.generate(prompts(generator, {"abc", "", "a b"}))) {
    ASSERT_THAT(texts, SizeIs(3));
    EXPECT_GE(texts[0].search.score, texts[1].search.score);
    for (const GeneratedText& each : texts) {
      EXPECT_LE(each.search.tokens.size(), 13u);
      EXPECT_EQ(each.search.tokens.back(), kEosId);
    }
  }
  const auto texts = generator.generate(prompts(generator, {"abc"}));
  EXPECT_THAT(texts[0][0].text, StartsWith("abc"));
}

TEST_F(GeneratorTest, ScoresAreThoseOfWhatFollowsThePrompt) {
  const Generator generator = this->generator(sampled(4, {.top_k = 5, .seed = 3}));
  const auto prompt = prompts(generator, {"abc d"});
  const auto texts = generator.generate(prompt);
  for (const GeneratedText& text : texts[0]) {
    std::vector<int32_t> whole = prompt[0].tokens;
    whole.insert(whole.end(), text.search.tokens.begin(), text.search.tokens.end());
    const ScoreRequest request{.target = whole};
    const auto scores = batched_scores(*model_, std::span(&request, 1), 4096)[0].token_scores;
    ASSERT_EQ(text.search.token_scores.size() + prompt[0].tokens.size(), scores.size());
    double sum = 0;
    for (size_t t = 0; t < text.search.token_scores.size(); ++t) {
      const float expected = scores[prompt[0].tokens.size() + t];
      EXPECT_NEAR(text.search.token_scores[t], expected, 2e-4);
      sum += expected;
    }
    EXPECT_NEAR(text.search.score, sum / static_cast<double>(text.search.tokens.size()), 2e-4);
  }
}

TEST_F(GeneratorTest, ATextDoesNotDependOnOtherPromptsOrThreads) {
  const Generator generator = this->generator(sampled(2, {.top_p = 0.9, .seed = 5}));
  const auto all = prompts(generator, {"abc", "", "d e f", "a", "zz", "the end"});
  const auto together = generator.generate(all);
  set_threads(3);
  GeneratorOptions small = sampled(2, {.top_p = 0.9, .seed = 5});
  small.batch_tokens = 1;
  const Generator other = this->generator(small);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto alone = other.generate(std::span(&all[i], 1));
    ASSERT_EQ(alone[0].size(), together[i].size());
    for (size_t k = 0; k < alone[0].size(); ++k) {
      EXPECT_EQ(alone[0][k].text, together[i][k].text);
      EXPECT_EQ(alone[0][k].search.token_scores, together[i][k].search.token_scores);
    }
  }
}

TEST_F(GeneratorTest, ABeamsTextsDoNotDependOnOtherPromptsOrThreads) {
  const GeneratorOptions options{.search = {.beam = 4}, .n_best = 4, .max_length = 12};
  const Generator generator = this->generator(options);
  const auto all = prompts(generator, {"abc", "", "d e f", "a", "zz", "the end"});
  const auto together = generator.generate(all);
  set_threads(3);
  for (size_t i = 0; i < all.size(); ++i) {
    const auto alone = generator.generate(std::span(&all[i], 1));
    ASSERT_EQ(alone[0].size(), together[i].size());
    for (size_t k = 0; k < alone[0].size(); ++k) {
      EXPECT_EQ(alone[0][k].text, together[i][k].text);
      EXPECT_EQ(alone[0][k].search.token_scores, together[i][k].search.token_scores);
    }
  }
}

// Whatever the tokeniser makes of it.
TEST_F(GeneratorTest, ThePromptStaysAsItWasGiven) {
  const Generator generator = this->generator(sampled(1));
  for (const std::string text : {"a  b", "ß a", "ﬁn", "  x", "\u2047", ""}) {
    const auto prompt = prompts(generator, {text});
    const GeneratedText found = generator.generate(prompt)[0][0];
    EXPECT_EQ(found.text, text + tokenizer_->decode(found.search.tokens));
  }
  const Prompt unknown = generator.encode("ß a ß", 1);
  EXPECT_EQ(unknown.unknown, 2);
}

TEST_F(GeneratorTest, TheGreatestMaximumLengthIsThatOfTheContext) {
  const auto texts_of = [&](int64_t max_length) {
    GeneratorOptions options = sampled(1);
    options.max_length = max_length;
    const Generator generator = this->generator(options);
    return generator.generate(prompts(generator, {"abc", "", "a"}));
  };
  const auto expected = texts_of(64);
  const auto found = texts_of(std::numeric_limits<int64_t>::max());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found[i][0].search.tokens, expected[i][0].search.tokens);
  }
}

TEST_F(GeneratorTest, TheSamePromptOnAnotherLineGetsAnotherText) {
  const Generator generator = this->generator(sampled(1));
  std::set<std::string> texts;
  for (const auto& each : generator.generate(prompts(generator, {"a", "a", "a", "a", "a", "a"}))) {
    texts.insert(each[0].text);
  }
  EXPECT_GE(texts.size(), 5u);  // of a random model, twelve tokens hardly ever agree
}

TEST_F(GeneratorTest, AGrowingTextIsTheSameText) {
  for (const bool greedy : {false, true}) {
    GeneratorOptions options = sampled(1, {.seed = 9});
    if (greedy) options.search.sampling.reset();
    const Generator generator = this->generator(options);
    for (const Prompt& prompt : prompts(generator, {"abc", "", "x y z", "ß  a", "a ", "ﬁ"})) {
      std::vector<std::string> written;
      const GeneratedText growing =
          generator.generate(prompt, [&](std::string_view text) { written.emplace_back(text); });
      const GeneratedText at_once = generator.generate(std::span(&prompt, 1))[0][0];
      EXPECT_EQ(growing.text, at_once.text);
      EXPECT_EQ(growing.search.tokens, at_once.search.tokens);
      std::string all;
      for (const std::string& each : written) all += each;
      EXPECT_EQ(all, at_once.text);
      // The prompt, each token but the end mark, and what was held back.
      EXPECT_EQ(written.size(), at_once.search.tokens.size() + 1);
    }
  }
}

TEST_F(GeneratorTest, LengthsCountFromThePrompt) {
  GeneratorOptions options = sampled(1);
  options.min_length = 5;
  options.max_length = 6;
  const Generator generator = this->generator(options);
  for (const auto& texts : generator.generate(prompts(generator, {"", "a", "abcdefgh"}))) {
    EXPECT_GE(texts[0].search.tokens.size(), 6u);
    EXPECT_LE(texts[0].search.tokens.size(), 7u);
  }
}

TEST_F(GeneratorTest, ALongPromptIsRefusedOrLosesItsBeginning) {
  GeneratorOptions options = sampled(1);
  // 64 positions, of which one is the end's and one is for what follows.
  const std::string fits(62, 'a');
  EXPECT_EQ(generator(options).encode(fits, 1).tokens.size(), 62u);
  const std::string longer = fits + std::string(51, 'b');
  try {
    generator(options).encode(longer, 1);
    FAIL() << "a prompt beyond the model's context";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the prompt has 113 tokens and the model's context is 63"));
  }
  options.long_prompts = LongPrompts::kTruncate;
  const Generator generator = this->generator(options);
  const Prompt prompt = generator.encode(longer, 1);
  EXPECT_TRUE(prompt.truncated);
  EXPECT_EQ(tokenizer_->decode(prompt.tokens), std::string(51, 'b'));  // 63 - 12
  options.max_length = 1000;
  EXPECT_EQ(this->generator(options).encode(longer, 1).tokens.size(), 32u);  // 63 - 63 / 2
}

TEST_F(GeneratorTest, ATextEndsWithTheContext) {
  GeneratorOptions options = sampled(1);
  options.min_length = 900;
  options.max_length = 1000;
  const Generator generator = this->generator(options);
  const auto texts = generator.generate(prompts(generator, {std::string(60, 'a')}))[0];
  EXPECT_THAT(texts[0].search.tokens, SizeIs(4));  // three, and the end
  EXPECT_TRUE(texts[0].search.cut);
}

TEST_F(GeneratorTest, RefusesWhatMakesNoSense) {
  const int64_t vocabulary = tokenizer_->vocabulary().size();
  const auto translates = random_transformer(vocabulary, DType::kF32);
  EXPECT_THROW(LanguageModelScorer{*translates}, UsageError);
  const auto other = random_language_model(vocabulary + 1);
  const auto scorer = [&] { return std::make_unique<LanguageModelScorer>(*other); };
  EXPECT_THROW(Generator(scorer, *tokenizer_, sampled(1)), UsageError);
  EXPECT_THROW(generator({.max_length = 0}), UsageError);
  EXPECT_THROW(generator({.min_length = 6, .max_length = 5}), UsageError);
  EXPECT_THROW(generator({.search = {.beam = 2}, .n_best = 3, .max_length = 5}), UsageError);
}

}  // namespace
}  // namespace skein
