#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/trained_model.h"

namespace skein {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Translate = TrainedModel;

TEST_F(Translate, ReadsAndWritesLinesOrJsonOrNBestLists) {
  const std::string skein = "skein translate --threads 1 --model model --max-length-b 4 ";
  const ShellResult text = run(skein + "< a.en");
  EXPECT_EQ(text.exit_code, 0) << text.error;
  EXPECT_EQ(lines_of(text.out).size(), 25u);
  // Files may be compressed, and standard input too; the same text gives the same translation.
  const ShellResult file =
      run("gzip -k a.en && " + skein + "--input a.en.gz --output out && cat out && " + skein +
          "< a.en.gz | cmp - out");
  EXPECT_EQ(file.exit_code, 0) << file.error;
  EXPECT_EQ(file.out, text.out);

  const ShellResult json = run("head -1 a.en | " + skein + "--n-best 2 --format jsonl");
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object.at("source"), "one one");
  EXPECT_EQ(object.at("hypotheses").size(), 2u);
  EXPECT_EQ(object.at("hypotheses")[0].at("text"), lines_of(text.out)[0]);

  const ShellResult best = run("head -2 a.en | " + skein + "--n-best 2");
  ASSERT_EQ(lines_of(best.out).size(), 4u);
  EXPECT_THAT(lines_of(best.out)[0], StartsWith("0 ||| " + lines_of(text.out)[0] + " ||| -"));
  EXPECT_THAT(lines_of(best.out)[3], StartsWith("1 ||| "));
}

TEST_F(Translate, AnswersALineBeforeTheNextIsThere) {
  const ShellResult result =
      run("coproc skein translate --threads 1 --model model --max-length-b 4 2> /dev/null\n"
          "echo one two >&${COPROC[1]}; read -t 60 -u ${COPROC[0]} line && echo \"$line\"\n"
          "echo two one >&${COPROC[1]}; read -t 60 -u ${COPROC[0]} line && echo \"$line\"");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(lines_of(result.out).size(), 2u);
}

TEST_F(Translate, TellsOfLinesThatItSplitSkippedOrCut) {
  const ShellResult result =
      run("printf 'one two three four five one two three four five one two\\n\\n\\xff\\n' | "
          "skein translate --threads 1 --model model --on-error skip --max-length-a 0 "
          "--max-length-b 2");
  EXPECT_EQ(result.exit_code, 0);
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_FALSE(lines[0].empty());
  EXPECT_EQ(lines[1] + lines[2], "");
  EXPECT_THAT(result.error, HasSubstr("lines that could not be translated and are empty: 1\n"));
  EXPECT_THAT(result.error,
              HasSubstr("lines longer than the model allows, translated in parts: 1\n"));
  EXPECT_THAT(
      result.error,
      HasSubstr("translations ended at the maximum length, 0 x source + 2 "
                "(--max-length-a, --max-length-b) or where the model's positions end: 1\n"));
}

TEST_F(Translate, AnswersWhatIsWrongInOneSentence) {
  struct Case {
    std::string arguments;
    int exit_code;
    std::string sentence;
  };
  const std::vector<Case> cases = {
      {"--model nowhere", 1, "skein: there is no folder nowhere; name the output of `skein train`"},
      {"--model data", 1, "skein: data holds no model"},
      {"--model model --checkpoint beest", 1,
       "skein: there is no checkpoint beest; expected best, last or a folder, such as "
       "model/checkpoints/step-00001200"},
      {"--model model --beam 0", 2, "skein: beam is 0; expected at least 1"},
      {"--model model --n-best 6", 2,
       "skein: 6 hypotheses a sentence were asked for; expected 1 to the beam of 5"},
      {"--model model --temperature 0", 2, "skein: temperature is 0; expected a number from 0.001"},
      {"--model model --beams 3", 2, "skein: unknown flag '--beams'; did you mean '--beam'?"},
      {"--model model --input nowhere", 1, "skein: cannot read nowhere: No such file"},
      {"--model model --input a.en --output nowhere/out", 1, "skein: cannot write nowhere/out: "},
      {"--model model --input a.en --output /dev/full", 1,
       "skein: cannot write /dev/full: No space left on device; free some space and run again"},
      {"--model model < a.en > /dev/full", 1,
       "skein: cannot write to standard output: No space left on device"},
      {"--model model <<< $'a\\xff'", 1, "skein: standard input:1: byte 2 (0xFF) of the line is "},
      {"--model model --on-long refuse < <(tr '\\n' ' ' < a.de)", 1,
       " tokens and the model has positions for 39; split it, or let --on-long"},
  };
  for (const Case& each : cases) {
    const ShellResult result = run("skein translate --threads 1 " + each.arguments);
    EXPECT_EQ(result.exit_code, each.exit_code) << each.arguments;
    EXPECT_THAT(result.error, HasSubstr(each.sentence)) << each.arguments;
    EXPECT_EQ(lines_of(result.error).size(), 1u) << result.error;
  }
}

TEST_F(Translate, EndsQuietlyWhenItsReaderHasSeenEnough) {
  const ShellResult result = run(
      "(skein translate --threads 1 --model model --window 1 --max-length-b 2 < a.en; echo $? >&2) "
      "| head -1");
  EXPECT_EQ(lines_of(result.out).size(), 1u);
  EXPECT_EQ(result.error, "141\n");  // 128 + SIGPIPE
}

TEST_F(Translate, DamagedParametersAreFound) {
  const ShellResult result =
      run("f=$(readlink -f model/last)/model.safetensors; size=$(stat -c %s $f)\n"
          "head -c $((size - 5)) $f > part && mv part $f\n"
          "skein translate --threads 1 --model model < a.en");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error, HasSubstr("model.safetensors"));
  EXPECT_EQ(result.out, "");
}

TEST_F(Translate, AnIncompleteModelIsNamed) {
  for (const std::string name : {"config.toml", "vocab.model"}) {
    const ShellResult result = run("rm -rf part; cp -r $(readlink -f model/last) part; rm part/" +
                                   name + "; skein translate --model part < a.en");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.error, "skein: the model in part is incomplete, " + name +
                                " is missing; copy the whole folder, or name another one\n");
  }
}

TEST_F(Translate, ModelsOfOneVocabularyTranslateTogether) {
  const std::string options = "--threads 1 --max-length-b 4 --format jsonl --precision f32 ";
  const ShellResult twice =
      run("skein translate --model model --model model " + options + "< a.en");
  const ShellResult once = run("skein translate --model model " + options + "< a.en");
  EXPECT_EQ(twice.exit_code, 0) << twice.error;
  const auto pair = nlohmann::json::parse(lines_of(twice.out).at(0)).at("hypotheses")[0];
  const auto single = nlohmann::json::parse(lines_of(once.out).at(0)).at("hypotheses")[0];
  EXPECT_EQ(pair.at("text"), single.at("text"));
  EXPECT_NEAR(pair.at("score").get<double>(), single.at("score").get<double>(), 1e-4);
}

}  // namespace
}  // namespace skein
