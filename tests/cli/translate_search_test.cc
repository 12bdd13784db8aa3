// What `skein translate` does besides plain beam search.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/trained_model.h"

namespace skein {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

using TranslateSearch = TrainedModel;

const std::string kSkein = "skein translate --threads 1 --model model ";
const std::string kTranslate = kSkein + "--max-length-b 4 ";

TEST_F(TranslateSearch, SamplesRepeatBySeedWhateverTheBatch) {
  const std::string sample = kTranslate + "--sample --top-p 0.9 --temperature 1.5 ";
  const ShellResult one = run(sample + "--seed 7 < a.en");
  EXPECT_EQ(one.exit_code, 0) << one.error;
  EXPECT_EQ(run(sample + "--seed 7 --window 3 --batch-tokens 10 < a.en").out, one.out);
  EXPECT_NE(run(sample + "--seed 8 < a.en").out, one.out);
  const auto lines = lines_of(run(sample + "--seed 7 --n-best 3 < a.en").out);
  EXPECT_THAT(lines, SizeIs(75));
  EXPECT_THAT(lines[0], StartsWith("0 ||| "));
}

TEST_F(TranslateSearch, DiverseGroupsGiveDifferentTranslations) {
  const ShellResult result =
      run("head -1 a.en | " + kTranslate +
          "--beam 4 --diverse-groups 4 --diverse-strength 5 --n-best 4 --format jsonl");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  std::set<std::string> beginnings;
  const auto json = nlohmann::json::parse(result.out);
  for (const auto& each : json.at("hypotheses")) beginnings.insert(each.at("tokens").at(0));
  EXPECT_THAT(beginnings, SizeIs(4));
}

TEST_F(TranslateSearch, PrefixesAndConstraintsComeFromFilesOrJsonLines) {
  folder_.file("prefix", "zwei\n\n");
  folder_.file("constraints", "\ndrei\tv\n");
  const ShellResult text = run("head -2 a.en | " + kSkein +
                               "--max-length-b 10 --prefix prefix --constraints constraints");
  EXPECT_EQ(text.exit_code, 0) << text.error;
  ASSERT_THAT(lines_of(text.out), SizeIs(2));
  EXPECT_THAT(lines_of(text.out)[0], StartsWith("zwei"));
  EXPECT_THAT(lines_of(text.out)[1], AllOf(HasSubstr("drei"), HasSubstr("v")));
  folder_.file("input.jsonl",
               R"({"source": "one one", "prefix": "zwei"}
{"source": "one two", "constraints": ["drei", "v"]}
)");
  EXPECT_EQ(run(kSkein + "--max-length-b 10 --input-format jsonl --input input.jsonl").out,
            text.out);
}

TEST_F(TranslateSearch, UnmetConstraintsEndTheRunUnlessTheyAreLeftOut) {
  folder_.file("constraints", "\neinszwei\n\n");
  const std::string line =
      "head -3 a.en | " + kTranslate + "--max-length-a 0 --constraints constraints ";
  const ShellResult stopped = run(line);
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(lines_of(stopped.out), SizeIs(1));
  EXPECT_THAT(stopped.error, HasSubstr("standard input:2: no translation of at most 4 tokens meets "
                                       "the constraint 'einszwei'; raise --max-length-b"));
  const ShellResult left_out = run(line + "--on-unmet leave-out");
  EXPECT_EQ(left_out.exit_code, 0) << left_out.error;
  EXPECT_THAT(lines_of(left_out.out), SizeIs(3));
  EXPECT_THAT(left_out.error, HasSubstr("whose constraints could not be met, translated without "
                                        "them: 1\n"));
}

TEST_F(TranslateSearch, TheSourceCanGiveTheLength) {
  const auto lines = lines_of(run("cat a.en").out);
  size_t i = 0;
  for (const std::string& line :
       lines_of(run(kSkein + "--match-source-length --format jsonl < a.en").out)) {
    // Characters are tokens, and the end of the sentence is one.
    EXPECT_EQ(nlohmann::json::parse(line).at("hypotheses").at(0).at("tokens").size(),
              lines.at(i++).size() + 1);
  }
  EXPECT_EQ(i, 25u);
}

TEST_F(TranslateSearch, AlignmentsAreWritten) {
  const ShellResult result = run("head -1 a.en | " + kTranslate + "--print-alignment");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, testing::ContainsRegex(" \\|\\|\\| [01]-[0-9]+( [01]-[0-9]+)*\n"));
}

TEST_F(TranslateSearch, UnknownWordsAreReplaced) {
  folder_.file("words", "\u0141\u00F3d\u017A Lodz\n");
  // The model of a moment says anything, so it is made to say the unknown word.
  const std::string unknown = "echo '\u0141\u00F3d\u017A' | " + kSkein +
                              "--unk-penalty -100 --max-length-a 0 --max-length-b 3 "
                              "--replace-unknown ";
  EXPECT_EQ(run(unknown).out, "\u0141\u00F3d\u017A\n");
  EXPECT_EQ(run(unknown + "--dictionary words").out, "Lodz\n");
}

TEST_F(TranslateSearch, ALanguageModelHelps) {
  make_language_model();
  const std::string plain = kTranslate + "--format jsonl ";
  const ShellResult none = run(plain + "--lm lm --lm-weight 0 < a.en");
  EXPECT_EQ(none.exit_code, 0) << none.error;
  const auto scores = [&](const std::string& out) {
    std::vector<double> result;
    for (const std::string& line : lines_of(out)) {
      result.push_back(nlohmann::json::parse(line).at("hypotheses").at(0).at("score"));
    }
    return result;
  };
  const auto without = scores(run(plain + "< a.en").out);
  EXPECT_THAT(scores(none.out), testing::Pointwise(testing::DoubleNear(0.02), without));
  const auto with = scores(run(plain + "--lm lm --lm-weight 1 < a.en").out);
  ASSERT_THAT(with, SizeIs(25));
  // A second log-probability of every token is added.
  for (size_t i = 0; i < with.size(); ++i) EXPECT_LT(with[i], without[i] - 1);
}

TEST_F(TranslateSearch, AModelThatTranslatesBackReranks) {
  make_channel_model();
  make_language_model();
  const ShellResult result =
      run("head -3 a.en | " + kTranslate +
          "--channel-model back --channel-weight 2 --lm lm --n-best 5 --format jsonl");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  for (const std::string& line : lines_of(result.out)) {
    double last = 0;
    const nlohmann::json translation = nlohmann::json::parse(line);
    ASSERT_EQ(translation.at("hypotheses").size(), 5U);
    for (const auto& each : translation.at("hypotheses")) {
      EXPECT_LT(each.at("channel_score").get<double>(), 0);
      EXPECT_LT(each.at("language_score").get<double>(), 0);
      EXPECT_LE(each.at("score").get<double>(), last);
      last = each.at("score");
    }
  }
}

TEST_F(TranslateSearch, RefusesFlagsThatContradictEachOther) {
  expect_failures(
      "skein translate --model model",
      {
          {"--sample --beam 3", 2, "skein: --sample and --beam exclude each other: samples are "},
          {"--sample --diverse-groups 2", 2, "skein: --sample and --diverse-groups exclude each "},
          {"--sample --constraints a.de", 2, "skein: --sample and --constraints exclude each "},
          {"--constraints a.de --diverse-groups 5", 2, "each shares out the beam in its own way"},
          {"--top-p 0.9", 2, "skein: --top-p needs --sample: it says which tokens are drawn from"},
          {"--seed 3", 2, "skein: --seed needs --sample: a beam search draws nothing at random"},
          {"--sample --top-p 0.9 --temperature 0", 2,
           "skein: --sample with --temperature 0 draws nothing: the likeliest token is always"},
          {"--sample --seed=-1", 2,
           "--seed: '-1' is no whole number from 0 to 18446744073709551615"},
          {"--sample --seed 18446744073709551616", 2, "is no whole number from 0 to"},
          {"--beam 1 --sibling-penalty 1", 2, "skein: a beam of 1 keeps one continuation"},
          {"--sample --top-p 1.5", 2, "skein: top-p is 1.5; expected a probability above 0"},
          {"--diverse-groups 2", 2, "skein: a beam of 5 cannot be parted into 2 diverse groups"},
          {"--diverse-strength 1", 2, "skein: --diverse-strength needs --diverse-groups"},
          {"--match-source-length --max-length-b 9", 2, "the source gives the length"},
          {"--min-length 9 --max-length-a 0 --max-length-b 3", 2,
           "skein: the minimum length, 0 x source + 9, is above the maximum, 0 x source + 3"},
          {"--min-length-a 3 --max-length-a 2", 2,
           "skein: the minimum length, 3 x source + 1, is above the maximum, 2 x source + 100, "
           "for "},
          {"--n-best 0", 2, "skein: 0 hypotheses a sentence were asked for; expected at least 1"},
          {"--sample --n-best 0", 2, "skein: 0 hypotheses a sentence were asked for"},
          {"--temperature 1e-39", 2, "skein: temperature is 1e-39; expected a number from 0.001"},
          {"--unk-penalty=-1e39", 2, "skein: penalty of unknown words is -1e+39; expected"},
          {"--dictionary words", 2, "skein: --dictionary needs --replace-unknown"},
          {"--on-unmet leave-out", 2, "skein: --on-unmet needs --constraints or --input-format"},
          {"--input-format jsonl --prefix a.de", 2,
           "skein: JSON lines have prefix and constraints"},
          {"--lm-weight 1", 2, "skein: --lm-weight needs --lm: it is the weight of that model"},
          {"--channel-weight 1", 2, "skein: --channel-weight needs --channel-model"},
      });
}

TEST_F(TranslateSearch, ALanguageModelOfNoWeightChangesNothingAtAnyTemperature) {
  make_language_model();
  const std::string hot = kTranslate + "--beam 2 --temperature 2 --format jsonl ";
  const auto plain = lines_of(run(hot + "< a.en").out);
  const auto fused = lines_of(run(hot + "--lm lm --lm-weight 0 < a.en").out);
  ASSERT_THAT(plain, SizeIs(25));
  ASSERT_THAT(fused, SizeIs(25));
  for (size_t i = 0; i < plain.size(); ++i) {
    const auto best = [](const std::string& line) {
      return nlohmann::json::parse(line).at("hypotheses").at(0);
    };
    EXPECT_NEAR(best(fused[i]).at("score").get<double>(), best(plain[i]).at("score").get<double>(),
                1e-4);
  }
}

// Of two models that differ, the mean of the probabilities is neither's.
TEST_F(TranslateSearch, ModelsThatDifferTranslateTogether) {
  make_model("--source en --target de", "data", "transformer_tiny", "other", "v.model",
             " --train.seed 7");
  const std::string sentence = "echo 'one two' | skein translate --threads 1 --format jsonl ";
  const std::string fixed = " --beam 1 --max-length-a 0 --max-length-b 0 --min-length 0";
  // No room for a word: the score is that of the end of the sentence.
  const auto end = [&](const std::string& models) {
    const ShellResult result = run(sentence + models + fixed);
    EXPECT_EQ(result.exit_code, 0) << result.error;
    const auto best = nlohmann::json::parse(result.out).at("hypotheses").at(0);
    return std::exp(best.at("token_scores").at(0).get<double>());
  };
  const double first = end("--model model"), second = end("--model other");
  EXPECT_GT(std::abs(first - second), 1e-4);
  EXPECT_NEAR(end("--model model --model other"), (first + second) / 2, 1e-5);
  EXPECT_NEAR(end("--model other --model model --checkpoint last"), (first + second) / 2, 1e-5);
}

TEST_F(TranslateSearch, RefusesModelsOfTheWrongKind) {
  make_language_model();
  make("skein vocab --input a.en a.de --type word --size 100 --output w.model");
  make_model("--source en --target de", "word_data", "transformer_tiny", "words", "w.model");
  make_model("--monolingual de", "word_lm_data", "transformer_lm_tiny", "word_lm", "w.model");
  make("cp a.en a.fr");
  make_model("--source de --target fr", "fr_data", "transformer_tiny", "french");
  make_channel_model();
  expect_failures(
      "skein translate < a.en",
      {
          {"--model lm", 2,
           "skein: lm is a language model: it has no source side to translate from; `skein "
           "generate` goes on with text"},
          {"--model model --model words", 2,
           "skein: model and words have different vocabularies; models that translate together"},
          {"--model model --model lm", 2, "skein: lm is a language model"},
          {"--model model --lm words", 2,
           "skein: words translates, and --lm takes a language model"},
          {"--model model --lm word_lm", 2,
           "skein: the vocabulary of word_lm is not the target vocabulary of model"},
          {"--model model --channel-model lm", 2,
           "skein: lm is a language model, and --channel-model takes a model that translates back"},
          {"--model model --channel-model model", 2,
           "skein: model translates en to de and model en to de; --channel-model takes a model "
           "that translates back, from de to en"},
          {"--model model --channel-model french", 2,
           "skein: french translates de to fr and model en to de; --channel-model takes a model "
           "that translates back, from de to en"},
          {"--model model --channel-model back --beam 1", 2,
           "skein: reranking sorts the hypotheses of a sentence, and a beam of 1 has one only"},
          {"--model model --channel-model back --channel-weight=-1", 2,
           "skein: a weight of the reranking is -1; expected a number of at least 0"},
          {"--model model --lm lm --lm-weight nan", 2,
           "skein: the weight of the language model is nan; expected a number of at most a "
           "million"},
          {"--model model --model french --checkpoint model/last", 2,
           "skein: --checkpoint model/last is one model, and 2 are to work together; expected best "
           "or last"},
          {"--model model model", 2, "skein: "},
      });
}

TEST_F(TranslateSearch, RefusesInputThatMakesNoSense) {
  folder_.file("short", "o\n");
  folder_.file("words", "one two three\n");
  folder_.file("constrained.jsonl", "{\"source\": \"one\", \"constraints\": [\"z\"]}\n");
  folder_.file("bad.jsonl", "{\"source\": \"one\"}\n{\"sauce\": \"two\"}\n");
  expect_failures(
      kTranslate,
      {
          {"--input a.en --prefix short --output out", 1,
           "skein: short has fewer lines than a.en; line by line they must belong together"},
          {"--input a.en --replace-unknown --dictionary words", 1,
           "skein: words:1: the line has 3 words or is not UTF-8; expected a source word"},
          {"--input-format jsonl --input bad.jsonl --output out", 1,
           "skein: bad.jsonl:2: there is no key 'sauce'; did you mean 'source'?"},
          {"--input-format jsonl --input constrained.jsonl --sample", 1,
           "skein: constrained.jsonl:1: constraints need a beam that keeps room for them"},
          {"--input-format jsonl --input constrained.jsonl --beam 4 --diverse-groups 2", 1,
           "skein: constrained.jsonl:1: constraints and diverse beam search each share out"},
          {"--input a.en --prefix <(sed 's/.*/ß/' a.en)", 1, ":1: the prefix 'ß' has characters"},
          {"--input <(echo; cat a.en) --prefix <(echo ein; cat a.de) --on-error stop", 1,
           ":1: the line has no content, and so no translation that could have its prefix"},
          {"--input a.en --prefix nowhere", 1, "skein: cannot read nowhere: No such file"},
      });
}

}  // namespace
}  // namespace skein
