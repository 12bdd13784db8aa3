#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/trained_model.h"

namespace skein {
namespace {

using testing::HasSubstr;

using Score = TrainedModel;

TEST_F(Score, WritesALogProbabilityAPairAndTheirPerplexity) {
  const ShellResult result =
      run("skein score --threads 1 --model model --source a.en --target a.de");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  std::istringstream lines(result.out);
  double sum = 0;
  int count = 0;
  for (double value = 0; lines >> value; ++count) sum += value;
  EXPECT_EQ(count, 25);
  const auto at = result.error.find("perplexity ");
  ASSERT_NE(at, std::string::npos) << result.error;
  // Twice five times 4 + 4 + 4 + 4 + 5 letters, and 25 spaces and ends.
  EXPECT_THAT(result.error, HasSubstr("25 pairs, 260 target tokens, "));
  EXPECT_NEAR(std::stod(result.error.substr(at + 11)), std::exp(-sum / 260), 1e-2);
}

TEST_F(Score, GivesATranslationTheScoreOfItsSearch) {
  const ShellResult result =
      run("head -3 a.en > s && skein translate --threads 1 --precision f32 --model model "
          "--max-length-a 0 --max-length-b 6 --format jsonl < s > found && "
          "skein translate --threads 1 --precision f32 --model model --max-length-a 0 "
          "--max-length-b 6 < s > t && skein score --threads 1 --precision f32 --model model "
          "--source s --target t --format jsonl > scored; paste found scored");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    const auto tab = line.find('\t');
    const auto found = nlohmann::json::parse(line.substr(0, tab)).at("hypotheses")[0];
    const auto scored = nlohmann::json::parse(line.substr(tab + 1));
    ASSERT_EQ(found.at("tokens"), scored.at("tokens"));
    const auto length = static_cast<double>(found.at("tokens").size());
    EXPECT_NEAR(scored.at("log_probability").get<double>() / length,
                found.at("score").get<double>(), 1e-4);
  }
}

TEST_F(Score, RefusesTextsOfDifferentLengthWithBothCounts) {
  const ShellResult result = run(
      "head -7 a.de > short; skein score --threads 1 --model model --source a.en --target short");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.error,
            "skein: a.en has 25 lines and short has 7; line by line they must be the same "
            "sentences\n");
}

TEST_F(Score, APairThatCannotBeScoredIsNamedOrCounted) {
  const std::string skein = "skein score --threads 1 --model model --source a.en --target bad ";
  const ShellResult stopped = run("sed '2s/.*/\\xff/' a.de > bad; " + skein);
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.error, HasSubstr("skein: bad:2: byte 1 (0xFF) of the line is not UTF-8"));
  const ShellResult skipped = run(skein + "--on-error skip");
  EXPECT_EQ(skipped.exit_code, 0);
  EXPECT_THAT(skipped.out, HasSubstr("\nnan\n"));
  EXPECT_THAT(skipped.error, HasSubstr("1 of 25 pairs have no score"));
}

}  // namespace
}  // namespace skein
