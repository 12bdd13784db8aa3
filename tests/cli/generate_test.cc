// skein generate, as a user calls it and gets it wrong.
#include <gmock/gmock.h>

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

class Generate : public TrainedModel {
 protected:
  Generate() { make_language_model(); }
};

const std::string kGenerate = "skein generate --threads 1 --model lm --max-length 8 ";

TEST_F(Generate, GoesOnWithAPromptOrLines) {
  const ShellResult one = run(kGenerate + "--prompt 'eins z' --seed 3");
  EXPECT_EQ(one.exit_code, 0) << one.error;
  ASSERT_THAT(lines_of(one.out), SizeIs(1));
  EXPECT_THAT(one.out, StartsWith("eins z"));
  // Growing on the terminal or written at once, it is the same text.
  EXPECT_EQ(run("echo 'eins z' | " + kGenerate + "--seed 3").out, one.out);
  EXPECT_NE(run(kGenerate + "--prompt 'eins z' --seed 4").out, one.out);
  const ShellResult many =
      run("cut -c -5 a.de | " + kGenerate + "--top-k 3 --output out && cat out");
  EXPECT_THAT(lines_of(many.out), SizeIs(25));
}

TEST_F(Generate, KeepsThePromptAndTellsWhatOfItIsUnknown) {
  const ShellResult result = run(kGenerate + "--prompt 'ei  ß Q'");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, StartsWith("ei  ß Q"));
  EXPECT_THAT(result.error,
              testing::ContainsRegex("2 of [67] tokens of the prompts are not in the vocabulary"));
  const ShellResult json = run("echo 'ei  ß Q' | " + kGenerate + "--format jsonl");
  EXPECT_THAT(nlohmann::json::parse(json.out).at("hypotheses")[0].at("text").get<std::string>(),
              StartsWith("ei  ß Q"));
}

TEST_F(Generate, TextsContainWhatIsAskedFor) {
  const std::string both = "--beam 4 --constraint zw --constraint ei ";
  const ShellResult any = run("printf 'zw\\nvier\\n' | " + kGenerate + both);
  EXPECT_EQ(any.exit_code, 0) << any.error;
  ASSERT_THAT(lines_of(any.out), SizeIs(2));
  // Behind the prompt, whatever that is.
  EXPECT_THAT(lines_of(any.out)[0].substr(2), AllOf(HasSubstr("zw"), HasSubstr("ei")));
  EXPECT_THAT(lines_of(any.out)[1].substr(4), AllOf(HasSubstr("zw"), HasSubstr("ei")));
  const ShellResult given = run(kGenerate + "--prompt v --constraint-order given " + both);
  EXPECT_THAT(given.out, testing::ContainsRegex("zw.*ei"));
  const ShellResult short_ones = run("printf 'zw\\nvier\\n' | " + kGenerate +
                                     "--beam 4 --constraint zweieieiz --on-error skip");
  EXPECT_EQ(short_ones.exit_code, 0);
  EXPECT_EQ(short_ones.out, "\n\n");
  EXPECT_THAT(short_ones.error, HasSubstr("prompts that could not be gone on with"));
  const ShellResult without = run("printf 'zw\\nvier\\n' | " + kGenerate +
                                  "--beam 4 --constraint zweieieiz --on-unmet leave-out");
  EXPECT_EQ(without.exit_code, 0);
  EXPECT_EQ(without.out, run("printf 'zw\\nvier\\n' | " + kGenerate + "--beam 4").out);
  EXPECT_THAT(without.error, HasSubstr("prompts whose constraints could not be met, gone on with "
                                       "without them: 2\n"));
  expect_failures(
      kGenerate + "--prompt ei",
      {{"--constraint zw", 2, "--beam"},
       {"--constraint-order given", 2, "--constraint"},
       {"--beam 2 --constraint ''", 2, "a constraint has no content"},
       {"--beam 2 --constraint $(printf 'a\\377')", 2, "a constraint cannot be read: byte 2"},
       {"--beam 2 --constraint Q", 2, "the constraint 'Q' has characters or words that"},
       {"--beam 2 --constraint ei --diverse-groups 2", 2, "shares out the beam"},
       {"--beam 2 --constraint zweieieiz", 1,
        "--prompt:1: no text of at most 8 tokens contains all that --constraint asks for; raise "
        "--max-length, or let --on-unmet leave-out go on without"},
       {"--on-unmet leave-out", 2, "--on-unmet needs --constraint"}});
}

TEST_F(Generate, WritesSeveralTextsOrJson) {
  const ShellResult several = run(kGenerate + "--prompt ei --n-best 3");
  ASSERT_THAT(lines_of(several.out), SizeIs(3));
  EXPECT_THAT(lines_of(several.out), Each(StartsWith("0 ||| ei")));
  const ShellResult json = run(kGenerate + "--prompt ei --beam 2 --n-best 2 --format jsonl");
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object.at("prompt"), "ei");
  ASSERT_EQ(object.at("hypotheses").size(), 2u);
  EXPECT_GE(object.at("hypotheses")[0].at("score").get<double>(),
            object.at("hypotheses")[1].at("score").get<double>());
  EXPECT_EQ(object.at("hypotheses")[0].at("tokens").size(),
            object.at("hypotheses")[0].at("token_scores").size());
}

TEST_F(Generate, TemperatureZeroIsGreedy) {
  const ShellResult greedy = run(kGenerate + "--prompt ei --temperature 0");
  EXPECT_EQ(greedy.exit_code, 0) << greedy.error;
  EXPECT_EQ(run(kGenerate + "--prompt ei --beam 1").out, greedy.out);
}

TEST_F(Generate, SeveralModelsGoOnTogether) {
  const ShellResult one = run(kGenerate + "--prompt ei --beam 2 --format jsonl");
  // The mean of a distribution with itself is the same distribution.
  const ShellResult twice = run(kGenerate + "--model lm --prompt ei --beam 2 --format jsonl");
  EXPECT_EQ(twice.exit_code, 0) << twice.error;
  const auto best = [](const ShellResult& result) {
    return nlohmann::json::parse(result.out).at("hypotheses").at(0);
  };
  EXPECT_EQ(best(twice).at("text"), best(one).at("text"));
  EXPECT_NEAR(best(twice).at("score").get<double>(), best(one).at("score").get<double>(), 1e-4);
}

TEST_F(Generate, DiverseGroupsGiveDifferentTexts) {
  const ShellResult result =
      run(kGenerate +
          "--prompt ei --beam 4 --diverse-groups 4 --diverse-strength 5 --n-best 4 "
          "--format jsonl");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  std::set<std::string> beginnings;
  const auto json = nlohmann::json::parse(result.out);
  for (const auto& each : json.at("hypotheses")) beginnings.insert(each.at("tokens").at(0));
  EXPECT_THAT(beginnings, SizeIs(4));
}

TEST_F(Generate, LongPromptsAreRefusedOrLoseTheirBeginnings) {
  const std::string prompt = "--prompt 'eins zwei drei vier sechs eins zwei drei' ";
  const ShellResult refused = run(kGenerate + prompt);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.error,
              HasSubstr("--prompt:1: the prompt has 40 tokens and the model's context is 39"));
  const ShellResult truncated = run(kGenerate + prompt + "--on-long truncate");
  EXPECT_EQ(truncated.exit_code, 0);
  // Eight of the 39 tokens are for what follows.
  EXPECT_THAT(truncated.out, StartsWith(" drei vier sechs eins zwei drei"));
  EXPECT_THAT(truncated.error, HasSubstr("whose beginnings were left out: 1\n"));
}

TEST_F(Generate, AnswersWhatIsWrongInOneSentence) {
  make("skein vocab --input a.de --type word --size 100 --output w.model");
  make_model("--monolingual de", "word_data", "transformer_lm_tiny", "words", "w.model");
  expect_failures(
      "skein generate --threads 1",
      {
          {"--model model --prompt x", 2,
           "skein: model translates: without a source text it has nothing to say; use `skein "
           "translate`"},
          {"--model lm --model words --prompt x", 2,
           "skein: lm and words have different vocabularies; models that go on with a text"},
          {"--model lm --prompt x --beam 2 --top-p 0.5", 2,
           "skein: --beam and --top-p exclude each other: a beam search draws nothing at random"},
          {"--model lm --prompt x --temperature 0 --top-p 0.5", 2,
           "skein: --temperature 0 always takes the likeliest token, so --top-p has no effect"},
          {"--model lm --prompt x --temperature 0 --n-best 2", 2,
           "skein: --temperature 0 always takes the likeliest token, so there is one text only"},
          {"--model lm --prompt x --diverse-groups 2", 2,
           "skein: --diverse-groups needs --beam: samples are independent"},
          {"--model lm --prompt x --temperature -1", 2, "skein: temperature is -1; expected"},
          {"--model lm --prompt x --n-best 0", 2, "skein: number of texts is 0; expected at least"},
          {"--model lm --model lm --prompt x --checkpoint lm/last", 2,
           "skein: --checkpoint lm/last is one model, and 2 are to work together; expected best "
           "or"},
          {"--model lm lm --prompt x", 2, "skein: "},
          {"--model lm --prompt x --top-p 0", 2, "skein: top-p is 0; expected a probability"},
          {"--model lm --prompt x --top-k -1", 2, "skein: top-k is -1; expected at least 0"},
          {"--model lm --prompt x --max-length 0", 2, "skein: maximum length is 0; expected"},
          {"--model lm --prompt x --input a.de", 2,
           "skein: --prompt and --input exclude each other: both say what to go on with"},
          {"--model lm --prompt $'x\\xff' --max-length 8", 1, "skein: --prompt:1: byte 2 (0xFF)"},
      });
}

}  // namespace
}  // namespace skein
