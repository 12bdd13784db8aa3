// skein average and skein inspect, as a user calls them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/shell.h"
#include "data/temporary_folder.h"
#include "skein/train/checkpoint_store.h"
#include "train/example_checkpoint.h"

namespace skein {
namespace {

using testing::HasSubstr;

class CheckpointCommands : public testing::Test {
 protected:
  CheckpointCommands() {
    const auto vocabulary = folder_.file("vocab.model", "a\nb\n");
    CheckpointStore store(folder_.path() / "run", {});
    for (const int64_t step : {100, 200, 300}) store.save(example_checkpoint(step, vocabulary));
  }
  ShellResult shell(const std::string& line) const { return run_shell(line, folder_.path()); }

  TemporaryFolder folder_;
};

TEST_F(CheckpointCommands, AverageWritesAModelAndTellsOfWhat) {
  const ShellResult result = shell("skein average --model run --last 2 --output mean");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.out,
            "run/checkpoints/step-00000300\n"
            "run/checkpoints/step-00000200\n"
            "mean: the mean of 2 models\n");
  const ShellResult inspected = shell("skein inspect mean");
  EXPECT_EQ(inspected.exit_code, 0) << inspected.error;
  EXPECT_THAT(inspected.out, HasSubstr("2 tensors, 3 values, checksum right"));
}

TEST_F(CheckpointCommands, AverageTakesModelsByName) {
  EXPECT_EQ(shell("skein average --inputs run/last run/checkpoints/step-00000100 --output mean")
                .exit_code,
            0);
  EXPECT_EQ(shell("skein average --inputs run/last mean --output mean/again").exit_code, 0);
}

TEST_F(CheckpointCommands, AverageSaysWhatIsMissing) {
  const ShellResult nothing = shell("skein average --output mean");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.error, HasSubstr("exactly one of --last N, --best N and --inputs"));
  const ShellResult best = shell("skein average --model run --best 1 --output mean");
  EXPECT_EQ(best.exit_code, 2);
  EXPECT_THAT(best.error, HasSubstr("run has 0 checkpoints with a score, but 1 are asked for"));
  EXPECT_EQ(shell("skein average --last 1 --output mean").exit_code, 2);
  EXPECT_EQ(shell("skein average --model nowhere --last 1 --output mean").exit_code, 1);
}

TEST_F(CheckpointCommands, ADamagedModelIsOneSentenceAndExitCodeOne) {
  const ShellResult result =
      shell("printf 'x' >> run/last/model.safetensors; skein inspect run; echo $?");
  EXPECT_EQ(result.out, "1\n");
  EXPECT_THAT(result.error, HasSubstr("model.safetensors: byte "));
  EXPECT_THAT(result.error, HasSubstr("1 bytes belong to no tensor; the file is damaged"));
}

}  // namespace
}  // namespace skein
