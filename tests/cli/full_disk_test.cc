// A disk that is full, really: a file system of some pages, mounted where no other process sees it,
// so that it is gone with the shell that mounted it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cli/trained_model.h"

namespace skein {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kFull = ": No space left on device; free some space and run again\n";

class FullDisk : public TrainedModel {
 protected:
  void SetUp() override {
    if (on_disk("true").exit_code != 0)
      GTEST_SKIP() << "no right to mount a file system: neither root nor user namespaces";
  }

  // Runs `script` where the folder `disk` is a file system of 1 MiB.
  ShellResult on_disk(const std::string& script) const {
    folder_.file("script",
                 "mount -t tmpfs -o size=1m none disk && mkdir disk/full || exit\n" + script);
    return run(
        "mkdir -p disk; unshare --mount true 2>/dev/null || rights='--user --map-root-user'\n"
        "unshare $rights --mount bash script");
  }

  // Leaves room for so many pages of 4 KiB.
  static std::string fill(int pages) {
    return fmt::format(
        "cat /dev/zero 2>/dev/null >disk/full/zeros; truncate -s -{} disk/full/zeros\n",
        4096 * pages);
  }

  static void expect_one_sentence(const ShellResult& result, const std::string& file) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.error,
                AllOf(StartsWith("skein: cannot "), HasSubstr(file), EndsWith(kFull)));
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  }
};

TEST_F(FullDisk, PreparingAgainLeavesTheDataThatIsThere) {
  for (const int pages : {0, 1, 2, 3}) {
    SCOPED_TRACE(pages);
    const ShellResult result = on_disk(
        "cp -r data disk/data\n" + fill(pages) +
        "skein prepare --source en --target de --train a --valid a --vocab v.model --output "
        "disk/data\n"
        "code=$?; diff -r data disk/data && ls disk; exit $code");
    expect_one_sentence(result, "disk/data.partial-");
    EXPECT_EQ(result.out, "data\nfull\n");
  }
}

TEST_F(FullDisk, TrainingKeepsTheCheckpointAndGoesOnFromItOnceThereIsRoom) {
  const std::string train =
      " --threads 1 --data data --config model/config.toml --train.max_updates 3";
  ASSERT_EQ(run("cp -a model whole && skein train --output whole" + train).exit_code, 0);
  // Configuration, log and curve take less than 8 pages, a checkpoint more than 16.
  for (const int pages : {0, 1, 2, 3, 4, 8, 12, 16}) {
    SCOPED_TRACE(pages);
    const ShellResult result = on_disk(
        "cp -a model disk/model\n" + fill(pages) + "skein train --output disk/model" + train +
        " 2>log; code=$?; tail -n 1 log >&2\n"
        "diff -r model/checkpoints disk/model/checkpoints && rm disk/full/zeros\n"
        "skein train --output disk/model" +
        train +
        " 2>log || cat log\n"
        "diff -r whole/checkpoints disk/model/checkpoints; exit $code");
    expect_one_sentence(result, pages < 8 ? "disk/model/" : "disk/model/checkpoints/step-");
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(FullDisk, TranslationsEndWithAWholeLine) {
  const std::string translate =
      "skein translate --threads 1 --model model --input long.en --window 5 --beam 1 "
      "--max-length-a 0 --max-length-b 40 2>log";
  ASSERT_EQ(run("for i in {1..20}; do cat a.en; done >long.en; " + translate + " --output whole")
                .exit_code,
            0);
  ASSERT_EQ(run("(($(stat -c %s whole) > 3 * 4096))").exit_code, 0);
  const ShellResult result = on_disk(fill(2) + translate +
                                     " --output disk/out; code=$?; tail -n 1 log >&2\n"
                                     "lines=$(wc -l <disk/out); ((lines > 0 && lines < 500))\n"
                                     "head -n $lines whole | cmp - disk/out; exit $code");
  expect_one_sentence(result, "disk/out");
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace skein
