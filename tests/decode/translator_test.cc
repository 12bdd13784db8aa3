#include "skein/decode/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "decode/copy_scorer.h"
#include "decode/random_transformer.h"
#include "error_of.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/base/random.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
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
    std::vector<EncodedLine> encoded;
    for (const std::string& line : lines) {
      encoded.push_back(translator.encode({.number = std::ssize(encoded) + 1, .source = line}));
    }
    return translator.translate(encoded);
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

TEST_F(TranslatorTest, APrefixBeginsTheTranslation) {
  const Translator plain = translator({.search = {.length_penalty = 0}});
  const auto encoded = plain.encode({.source = "abc", .prefix = "xy"});
  // The model copies by position, so after the prefix it goes on with the third letter.
  EXPECT_EQ(best(plain.translate(std::span(&encoded, 1)))[0], "xyc");
}

TEST_F(TranslatorTest, APrefixBelongsToTheFirstPartOfALine) {
  const Translator plain = translator({.search = {.beam = 2, .length_penalty = 0}}, 12);
  const auto encoded = plain.encode({.source = "one two. three four.", .prefix = "x"});
  EXPECT_EQ(best(plain.translate(std::span(&encoded, 1)))[0], "xne two. three four.");
}

TEST_F(TranslatorTest, ConstraintsAreInTheTranslation) {
  const Translator plain = translator({});
  const auto encoded = plain.encode({.source = "abcdef", .constraints = {"xy", "z"}});
  const Translation found = plain.translate(std::span(&encoded, 1))[0];
  for (const TranslatedText& each : found.hypotheses) {
    EXPECT_THAT(each.text, HasSubstr("xy"));
    EXPECT_THAT(each.text, HasSubstr("z"));
  }
  EXPECT_FALSE(found.constraints_left_out);
}

TEST_F(TranslatorTest, ConstraintsThatCannotBeMetAreToldOrLeftOutOnRequest) {
  TranslatorOptions options{.search = {.max_length_a = 0, .max_length_b = 3}};
  const SourceLine line{.source = "abc", .constraints = {"wxyz"}};
  const Translator strict = translator(options);
  const auto encoded = strict.encode(line);
  const Translation refused = strict.translate(std::span(&encoded, 1))[0];
  EXPECT_THAT(refused.hypotheses, SizeIs(0));
  EXPECT_THAT(refused.error,
              HasSubstr("no translation of at most 3 tokens meets the constraint 'wxyz'"));
  options.on_unmet = OnUnmet::kLeaveOut;
  const Translation translated = translator(options).translate(std::span(&encoded, 1))[0];
  EXPECT_EQ(translated.hypotheses.at(0).text, "abc");
  EXPECT_TRUE(translated.constraints_left_out);
}

// Where that is known before the search.
TEST_F(TranslatorTest, ConstraintsThatNoTranslationCanMeetAreLeftOutOnRequest) {
  const SourceLine kLines[] = {{.source = "abc", .constraints = {"x", "Q"}},
                               {.source = "abc. def. ghi.", .constraints = {"x"}}};
  for (const SourceLine& line : kLines) {
    const Translator strict = translator({}, 8);
    EXPECT_THAT(error_of([&] { strict.encode(line); }),
                HasSubstr("; --on-unmet leave-out translates such lines without"));
    const Translator lenient = translator({.on_unmet = OnUnmet::kLeaveOut}, 8);
    const auto encoded = lenient.encode(line);
    const Translation translated = lenient.translate(std::span(&encoded, 1))[0];
    EXPECT_EQ(translated.hypotheses.at(0).text, line.source);
    EXPECT_TRUE(translated.constraints_left_out);
  }
}

TEST_F(TranslatorTest, TheRemedyForUnmetConstraintsIsOneThatHelps) {
  const auto remedy = [&](const SearchOptions& search, const std::string& constraint) {
    const Translator strict = translator({.search = search}, 12);
    const auto encoded = strict.encode({.source = "abc", .constraints = {constraint}});
    return strict.translate(std::span(&encoded, 1))[0].error;
  };
  EXPECT_THAT(remedy({.max_length_a = 0, .max_length_b = 3}, "wxyz"),
              HasSubstr("'wxyz'; raise --max-length-b, or let --on-unmet"));
  EXPECT_THAT(remedy({.match_source_length = true}, "wxyz"),
              HasSubstr("of at most 3 tokens meets the constraint 'wxyz'; leave out "
                        "--match-source-length"));
  EXPECT_THAT(remedy({}, "abcdefghijkl"),
              HasSubstr("of at most 11 tokens meets the constraint 'abcdefghijkl'; shorten them"));
  EXPECT_THAT(remedy({.no_repeat_ngram = 1}, "zz"), HasSubstr("leave out --no-repeat-ngram"));
  const Translator strict = translator({}, 12);
  const auto encoded =
      strict.encode({.source = "abc", .prefix = "abcdefgh", .constraints = {"wxyz"}});
  EXPECT_THAT(strict.translate(std::span(&encoded, 1))[0].error,
              HasSubstr("shorten them, or the prefix, to the model's positions"));
}

TEST_F(TranslatorTest, RefusesPrefixesAndConstraintsThatMakeNoSense) {
  const Translator plain = translator({}, 12);
  const auto error_of = [&](const SourceLine& line) {
    try {
      plain.encode(line);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error_of({.source = "a", .prefix = "ß"}),
              HasSubstr("the prefix 'ß' has characters or words that the target vocabulary lacks"));
  EXPECT_THAT(error_of({.source = "a", .prefix = "abcdefghijkl"}),
              HasSubstr("the prefix has 12 tokens and the model has positions for 11"));
  EXPECT_THAT(error_of({.source = "a", .constraints = {""}}), HasSubstr("has no content"));
  EXPECT_THAT(error_of({.source = "", .prefix = "a"}), HasSubstr("the line has no content, and"));
  EXPECT_THAT(error_of({.source = " ", .constraints = {"a"}}),
              HasSubstr("the line has no content"));
  EXPECT_THAT(error_of({.source = "one two. three four.", .constraints = {"a"}}),
              HasSubstr("the line is translated in 2 parts"));
  TranslatorOptions sampled{.search = {.beam = 1, .sampling = SamplingOptions{}}};
  EXPECT_THROW(translator(sampled).encode({.source = "a", .constraints = {"a"}}), UsageError);
  TranslatorOptions diverse{.search = {.beam = 4, .diversity = {.groups = 2}}};
  EXPECT_THROW(translator(diverse).encode({.source = "a", .constraints = {"a"}}), UsageError);
  EXPECT_NO_THROW(translator(diverse).encode({.source = "a", .prefix = "a"}));
}

TEST_F(TranslatorTest, SamplesDifferByLineAndRepeatBySeed) {
  const auto sampled = [&](uint64_t seed) {
    return translator({.search = {.beam = 1,
                                  .max_length_a = 0,
                                  .max_length_b = 20,
                                  .temperature = 4,
                                  .sampling = SamplingOptions{.seed = seed}}});
  };
  const std::vector<std::string> lines(6, "abcdefgh");
  const auto texts = best(translate(sampled(1), lines));
  EXPECT_EQ(texts, best(translate(sampled(1), lines)));
  EXPECT_NE(texts, best(translate(sampled(2), lines)));
  EXPECT_GE(std::set<std::string>(texts.begin(), texts.end()).size(), 5u);
}

// A model whose attention is known to differ from token to token.
TEST_F(TranslatorTest, TellsTheAlignmentOfWordsAlsoOfALineInParts) {
  const int64_t vocabulary = tokenizer_->vocabulary().size();
  const auto model = random_transformer(vocabulary, DType::kF32);
  const Aligner aligner({model.get()});
  const Translator plain([=] { return std::make_unique<CopyScorer>(vocabulary, 12); }, *tokenizer_,
                         *tokenizer_, {.search = {.beam = 2}, .alignment = true},
                         {.aligner = &aligner});
  const auto whole = translate(plain, {"one two"})[0].hypotheses.at(0);
  ASSERT_EQ(whole.text, "one two");
  for (const WordPair& pair : whole.alignment) {
    EXPECT_LT(pair.source, 2);
    EXPECT_LT(pair.target, 2);
  }
  const auto parts = translate(plain, {"one two. one two"})[0].hypotheses.at(0);
  ASSERT_EQ(parts.text, "one two. one two");
  std::vector<WordPair> second;
  for (const WordPair& pair : parts.alignment) {
    if (pair.target >= 2) second.push_back({pair.source - 2, pair.target - 2});
  }
  EXPECT_EQ(second, whole.alignment);
}

TEST_F(TranslatorTest, AlignsEachTokenWithWhatItAttendsToMost) {
  const int64_t vocabulary = tokenizer_->vocabulary().size();
  const auto model = random_transformer(vocabulary, DType::kF32);
  const Aligner aligner({model.get()});
  Batch batch;
  for (const std::string text : {"abc d", "z", "some words"}) {
    std::vector<int32_t> tokens;
    tokenizer_->encode(text, tokens);
    tokens.push_back(kEosId);
    batch.source.append(tokens);
    std::rotate(tokens.rbegin(), tokens.rbegin() + 1, tokens.rend());
    batch.target_input.append(tokens);
  }
  const Tensor attention = model->alignment(batch);
  const auto aligned = aligner.align(batch);
  size_t begin = 0;
  for (size_t s = 0; s < 3; ++s) {
    const size_t columns = batch.source.sentence(s).size();
    for (const int32_t source : aligned[s]) {
      for (size_t i = 0; i + 1 < columns; ++i) {
        EXPECT_GE(attention.values<float>()[begin + static_cast<size_t>(source)],
                  attention.values<float>()[begin + i]);
      }
      begin += columns;
    }
  }
  EXPECT_EQ(begin, static_cast<size_t>(attention.elements()));
}

TEST_F(TranslatorTest, UnknownWordsAreReplaced) {
  const int64_t vocabulary = tokenizer_->vocabulary().size();
  const auto model = random_transformer(vocabulary, DType::kF32);
  const Aligner aligner({model.get()});
  const WordDictionary dictionary;
  const Translator plain([=] { return std::make_unique<CopyScorer>(vocabulary, 30); }, *tokenizer_,
                         *tokenizer_, {}, {.aligner = &aligner, .unknown_words = &dictionary});
  // One source word only, so that the word is the same wherever the attention is.
  const auto found = translate(plain, {"Łódź", "plain"});
  EXPECT_EQ(found[0].hypotheses.at(0).text, "Łódź");
  EXPECT_EQ(found[1].hypotheses.at(0).text, "plain");
}

TEST_F(TranslatorTest, RerankingSortsTheWholeBeam) {
  const int64_t vocabulary = tokenizer_->vocabulary().size();
  const auto channel = random_transformer(vocabulary, DType::kF32);
  const Reranker reranker({*channel, *tokenizer_, *tokenizer_}, nullptr, {.channel_weight = 3});
  const TranslatorOptions options{.search = {.beam = 6}, .n_best = 2};
  const auto make = [=] { return std::make_unique<CopyScorer>(vocabulary, 30); };
  TranslatorOptions all = options;
  all.n_best = 6;
  const Translator plain(make, *tokenizer_, *tokenizer_, all);
  const Translator reranked(make, *tokenizer_, *tokenizer_, options, {.reranker = &reranker});
  for (const std::string line : {"abc", "some words"}) {
    std::vector<Translation> found = translate(plain, {line});
    std::vector<RerankedText> texts;
    for (TranslatedText& each : found[0].hypotheses) {
      texts.push_back({line, each.text, &each.search});
    }
    reranker.rescore(texts);
    double highest = texts[0].hypothesis->score;
    for (const RerankedText& each : texts) highest = std::max(highest, each.hypothesis->score);
    const auto best = translate(reranked, {line})[0].hypotheses;
    ASSERT_THAT(best, SizeIs(2));
    EXPECT_NEAR(best[0].search.score, highest, 1e-5);
    EXPECT_GE(best[0].search.score, best[1].search.score);
    ASSERT_TRUE(best[0].channel.has_value());
  }
}

TEST_F(TranslatorTest, RerankingReadsWhatWasTranslatedOfALineThatWasCut) {
  const int64_t vocabulary = tokenizer_->vocabulary().size();
  const auto channel = random_transformer(vocabulary, DType::kF32);
  const Reranker reranker({*channel, *tokenizer_, *tokenizer_}, nullptr, {});
  const Translator reranked(
      [=] { return std::make_unique<CopyScorer>(vocabulary, 12); }, *tokenizer_, *tokenizer_,
      {.search = {.beam = 3}, .long_lines = LongLines::kTruncate}, {.reranker = &reranker});
  TranslatedText best = translate(reranked, {"a line that is long"})[0].hypotheses.at(0);
  ASSERT_TRUE(best.channel.has_value());
  std::vector<RerankedText> texts = {{"a line that", best.text, &best.search}};
  reranker.rescore(texts);
  EXPECT_NEAR(best.channel->channel, texts[0].scores.channel, 1e-4);
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
