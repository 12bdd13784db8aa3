#include "skein/decode/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decode/copy_scorer.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/base/random.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class TranslatorTest : public testing::Test {
 protected:
  Translator translator(const TranslatorOptions& options, int64_t max_length = 100) const {
    const int64_t vocabulary = tokenizer_->vocabulary().size();
    return {[=] { return std::make_unique<CopyScorer>(vocabulary, max_length); }, *tokenizer_,
            *tokenizer_, options};
  }

  static std::vector<Translation> translate(const Translator& translator,
                                            const std::vector<std::string>& lines) {
    std::vector<SourceText> texts;
    for (const std::string& line : lines) texts.push_back(translator.encode(line));
    return translator.translate(texts);
  }

  static std::vector<std::string> best(const std::vector<Translation>& translations) {
    std::vector<std::string> texts;
    for (const Translation& each : translations) texts.push_back(each.hypotheses.at(0).text);
    return texts;
  }

  std::unique_ptr<Tokenizer> tokenizer_ = letters();
};

TEST_F(TranslatorTest, GivesTranslationsInTheOrderOfTheLines) {
  EXPECT_THAT(best(translate(translator({}), {"a long line", "b", "", "some words"})),
              ElementsAre("a long line", "b", "", "some words"));
}

TEST_F(TranslatorTest, ATranslationDoesNotDependOnBatchesOrThreads) {
  Random random(5);
  std::vector<std::string> lines(60);
  for (std::string& line : lines) {
    line.resize(1 + random.below(30), ' ');
    for (char& letter : line) letter = static_cast<char>('a' + random.below(26));
  }
  const int before = threads();
  set_threads(1);
  const auto alone = translate(translator({.n_best = 5, .batch_tokens = 1}), lines);
  set_threads(3);
  const auto together = translate(translator({.n_best = 5, .batch_tokens = 500}), lines);
  set_threads(before);
  ASSERT_EQ(alone.size(), together.size());
  for (size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(together[i].hypotheses[0].text, lines[i]);
    ASSERT_EQ(alone[i].hypotheses.size(), together[i].hypotheses.size());
    for (size_t k = 0; k < alone[i].hypotheses.size(); ++k) {
      EXPECT_EQ(alone[i].hypotheses[k].text, together[i].hypotheses[k].text);
      EXPECT_EQ(alone[i].hypotheses[k].search.score, together[i].hypotheses[k].search.score);
    }
  }
}

TEST_F(TranslatorTest, NBestHypothesesComeBestFirst) {
  const auto found = translate(translator({.n_best = 3}), {"abc"});
  ASSERT_THAT(found[0].hypotheses, SizeIs(3));
  EXPECT_EQ(found[0].hypotheses[0].text, "abc");
  EXPECT_GT(found[0].hypotheses[0].search.score, found[0].hypotheses[1].search.score);
  EXPECT_GE(found[0].hypotheses[1].search.score, found[0].hypotheses[2].search.score);
}

TEST_F(TranslatorTest, AnEmptyLineHasOneEmptyTranslation) {
  const auto found = translate(translator({.n_best = 3}), {""});
  ASSERT_THAT(found[0].hypotheses, SizeIs(1));
  EXPECT_EQ(found[0].hypotheses[0].text, "");
  EXPECT_EQ(found[0].hypotheses[0].search.score, 0);
}

TEST_F(TranslatorTest, APartedLineIsPutTogetherAgain) {
  const std::string line = "one two. three four. five six. seven eight.";
  const auto found = translate(translator({.search = {.beam = 2}}, 12), {line});
  ASSERT_FALSE(found[0].hypotheses.empty());
  const TranslatedText& best = found[0].hypotheses[0];
  EXPECT_EQ(best.text, line);
  // 43 characters, of which three spaces part the parts, and four ends.
  EXPECT_THAT(best.search.tokens, SizeIs(43 - 3 + 4));
  EXPECT_NEAR(best.search.score, std::log(0.9), 0.02);
}

TEST_F(TranslatorTest, RefusesOptionsThatContradictEachOther) {
  EXPECT_THROW(translator({.search = {.beam = 2}, .n_best = 3}), UsageError);
  EXPECT_THROW(translator({.search = {.beam = 0}}), UsageError);
  EXPECT_THROW(translator({.batch_tokens = 0}), UsageError);
}

TEST_F(TranslatorTest, RefusesAVocabularyThatIsNotTheModels) {
  const auto make = [] { return std::make_unique<CopyScorer>(7, 100); };
  EXPECT_THROW(Translator(make, *tokenizer_, *tokenizer_, {}), UsageError);
}

}  // namespace
}  // namespace skein
