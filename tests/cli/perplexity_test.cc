// skein perplexity, as a user calls it and gets it wrong.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/trained_model.h"

namespace skein {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class Perplexity : public TrainedModel {
 protected:
  Perplexity() { make_language_model(); }
};

TEST_F(Perplexity, IsThatOfTokensAndOfWords) {
  const ShellResult text = run("skein perplexity --threads 1 --model lm --input a.de");
  EXPECT_EQ(text.exit_code, 0) << text.error;
  ASSERT_THAT(lines_of(text.out), SizeIs(2));
  EXPECT_THAT(lines_of(text.out)[0], StartsWith("perplexity a token "));
  EXPECT_THAT(lines_of(text.out)[1], HasSubstr("(75 words, line ends included)"));
  const ShellResult json = run("skein perplexity --threads 1 --model lm --format jsonl < a.de");
  const auto object = nlohmann::json::parse(json.out);
  const double tokens = object.at("tokens");
  EXPECT_EQ(object.at("words"), 75);  // two a line, and its end
  EXPECT_EQ(object.at("lines"), 25);
  const double sum = object.at("log_probability");
  EXPECT_NEAR(object.at("perplexity").get<double>(), std::exp(-sum / tokens), 1e-6);
  EXPECT_NEAR(object.at("word_perplexity").get<double>(), std::exp(-sum / 75), 1e-6);
  // All tokens count, whatever the windows are.
  const ShellResult windows =
      run("skein perplexity --threads 1 --model lm --format jsonl --context 40 --stride 7 < a.de");
  EXPECT_EQ(nlohmann::json::parse(windows.out).at("tokens"), tokens);
}

TEST_F(Perplexity, AWordBeyondAllNumbersIsLeftOutWithTheReason) {
  const std::string line =
      "cat a.de a.de a.de a.de a.de | tr -d ' \\n' | skein perplexity --threads 1 --model lm "
      "--context 40";
  const ShellResult json = run(line + " --format jsonl");
  EXPECT_EQ(json.exit_code, 0) << json.error;
  const auto object = nlohmann::json::parse(json.out);
  EXPECT_EQ(object.at("words"), 2);
  EXPECT_FALSE(object.contains("word_perplexity"));
  EXPECT_THAT(json.error, HasSubstr("the perplexity a word is beyond all numbers and left out"));
  EXPECT_THAT(lines_of(run(line).out), SizeIs(1));
}

TEST_F(Perplexity, AnswersWhatIsWrongInOneSentence) {
  expect_failures(
      "skein perplexity --threads 1",
      {
          {"--model model --input a.de", 2,
           "skein: model translates: text by itself has no probability; `skein score` scores "},
          {"--model lm --input a.de --stride 3", 2, "skein: --stride needs --context"},
          {"--model lm --input a.de --context 41", 2,
           "skein: a context of 41 tokens; expected 1 to the model's 40 positions"},
          {"--model lm --input a.de --context 8 --stride 9", 2,
           "skein: a stride of 9 tokens; expected 1 to the context of 8"},
          {"--model lm --input /dev/null", 1, "skein: /dev/null has no line to predict"},
          {"--model lm < <(tr '\\n' ' ' < a.de)", 1,
           " tokens and the model has positions for 39; --context N reads the text in windows"},
      });
}

}  // namespace
}  // namespace skein
