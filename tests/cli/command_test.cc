// What holds for the command as a whole; each subcommand has a test file of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "apps/skein/commands.h"
#include "cli/shell.h"
#include "skein/base/error.h"

namespace skein {
namespace {

TEST(Command, HelpGoesToStandardOutput) {
  const ShellResult result = run_shell("skein --help");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("--version"), std::string::npos);
  EXPECT_EQ(result.error, "");
}

TEST(Command, HelpOfACommandShowsHowItIsCalled) {
  const ShellResult result = run_shell("skein evaluate --help");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("Usage: skein evaluate [OPTIONS]\n"), std::string::npos) << result.out;
}

TEST(Command, TellsItsVersion) {
  const ShellResult result = run_shell("skein --version");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.substr(0, 6), "skein ");
}

TEST(Command, WrongUseGetsOneSentence) {
  for (const auto& [line, sentence] :
       {std::pair("skein", "no command given; `skein --help` lists them"),
        std::pair("skein xyzzy", "unknown command 'xyzzy'; see `skein --help`"),
        std::pair("skein --thread 2", "unknown flag '--thread'; did you mean '--threads'?"),
        std::pair(
            "skein bench",
            "`skein bench` needs one of train, decode, score, kernels; see `skein bench --help`"),
        std::pair("skein translate --model m --length-penalty x",
                  "--length-penalty = 'x': expected a number"),
        std::pair("skein translate --model m --beam 1.5",
                  "--beam = '1.5': expected a whole number"),
        std::pair(
            "skein translate --model m --on-long spilt",
            "--on-long = 'spilt': did you mean 'split'? expected one of split, truncate, refuse"),
        std::pair("skein translate --model m --window 0",
                  "--window 0 is out of range; expected a number above 0"),
        std::pair("skein average --last 0 --output x",
                  "--last 0 is out of range; expected 1 to 1000000"),
        std::pair(
            "skein translate",
            "--model is missing; expected --model and its value; see `skein translate --help`"),
        std::pair("skein translate --model",
                  "--model has no value; expected --model VALUE; see `skein translate --help`"),
        std::pair("skein --threads two", "--threads = 'two': expected a whole number"),
        std::pair("skein --threads 0", "--threads 0 is out of range; expected 1 to 1024")}) {
    const ShellResult result = run_shell(line);
    EXPECT_EQ(result.exit_code, 2) << line;
    EXPECT_EQ(result.error, std::string("skein: ") + sentence + "\n");
  }
}

TEST(Command, APluginThatCannotBeLoadedIsNamed) {
  const ShellResult result =
      run_shell("skein evaluate --plugin none.so --reference x --hypothesis y");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.error.substr(0, 41), "skein: cannot load the plug-in none.so: /");
}

// OpenMP shows its environment whenever it is loaded (OMP_DISPLAY_ENV, OpenMP 5.0, 6.12): twice
// where the program starts itself again.
TEST(Command, ThreadsSleepUnlessTheEnvironmentSaysOtherwise) {
  const auto policies = [](const std::string& environment) {
    return run_shell("OMP_DISPLAY_ENV=true " + environment +
                     " skein evaluate --help 2>&1 | grep OMP_WAIT_POLICY | tr -d ' '")
        .out;
  };
  EXPECT_THAT(policies(""), testing::MatchesRegex(".*\n.*OMP_WAIT_POLICY='PASSIVE'\n"));
  EXPECT_THAT(policies("OMP_WAIT_POLICY=active"),
              testing::MatchesRegex("[^\n]*OMP_WAIT_POLICY='ACTIVE'\n"));
}

// It reads the name that ps and top show, and compares it with "skein".
TEST(Command, IsListedUnderItsName) {
  const ShellResult result = run_shell(
      "skein evaluate --reference <(echo skein) --hypothesis /proc/self/comm --metrics chrf");
  EXPECT_THAT(result.out, testing::HasSubstr("= 100.00")) << result.error;
}

TEST(Command, AFullDiskIsToldOnce) {
  const ShellResult result = run_shell("skein --help > /dev/full");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.error,
            "skein: cannot write to standard output: No space left on device; the text is not "
            "complete\n");
}

TEST(Command, APipeClosedEarlyEndsItQuietly) {
  const ShellResult result = run_shell("(sleep 0.2; skein --help; echo $? >&2) | true");
  EXPECT_EQ(result.error, "141\n");  // 128 + SIGPIPE
}

// A command with one flag and one setting, as `skein train` has many.
std::string apply(std::vector<std::string> arguments, double& lr) {
  CLI::App app;
  CLI::App* command = app.add_subcommand("train", "");
  std::string data;
  command->add_option("--data", data);
  command::accept_settings(*command);
  arguments.insert(arguments.begin(), "train");
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes a vector from its end
  app.parse(arguments);
  Settings settings;
  settings.add("optimizer.lr", &lr, "learning rate", {0, 10});
  try {
    command::apply_settings(settings, *command);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "data " + data;
}

TEST(CommandSettings, AreTakenByDottedNameBesideFlags) {
  double lr = 0;
  EXPECT_EQ(apply({"--optimizer.lr", "5e-4", "--data", "folder"}, lr), "data folder");
  EXPECT_EQ(lr, 5e-4);
  EXPECT_EQ(apply({"--data", "folder", "--optimizer.lr=0.25"}, lr), "data folder");
  EXPECT_EQ(lr, 0.25);
}

TEST(CommandSettings, AWrongNameGetsTheNearestFlagOrSetting) {
  double lr = 0;
  EXPECT_EQ(apply({"--optimiser.lr", "1"}, lr),
            "unknown flag or setting '--optimiser.lr'; did you mean '--optimizer.lr'?");
  EXPECT_EQ(apply({"--dta", "x"}, lr), "unknown flag or setting '--dta'; did you mean '--data'?");
  EXPECT_EQ(apply({"extra"}, lr), "unexpected argument 'extra'; see `skein train --help`");
}

TEST(CommandSettings, AMissingOrWrongValueIsRefused) {
  double lr = 0;
  EXPECT_EQ(apply({"--optimizer.lr"}, lr),
            "the setting --optimizer.lr has no value; expected --optimizer.lr VALUE");
  EXPECT_EQ(apply({"--optimizer.lr", "-1"}, lr),
            "optimizer.lr = -1 is out of range; expected a value from 0 to 10");
}

}  // namespace
}  // namespace skein
