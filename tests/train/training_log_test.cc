#include "skein/train/training_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "data/temporary_folder.h"
#include "skein/base/error.h"
#include "skein/train/training_progress.h"

namespace skein {
namespace {

using testing::HasSubstr;

TEST(TrainingLog, ARowIsOneJsonObject) {
  EXPECT_EQ(
      to_json(
          {.event = "train", .step = 100, .values = {{"epoch", 2}, {"loss", 4.5}, {"lr", 1e-4}}}),
      R"({"event":"train","step":100,"epoch":2,"loss":4.5,"lr":0.0001})");
  EXPECT_EQ(to_json({.event = "train",
                     .step = 1,
                     .values = {{"loss", std::numeric_limits<double>::infinity()}}}),
            R"({"event":"train","step":1,"loss":null})");
}

TEST(TrainingLog, ResumedItDropsTheRowsThatComeOnceMore) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "log.jsonl";
  {
    TrainingLog log(path, 0);
    for (int64_t step = 100; step <= 300; step += 100) log.write({.event = "train", .step = step});
  }
  std::ofstream(path, std::ios::app) << R"({"event":"tra)";  // killed while it wrote
  {
    TrainingLog log(path, 200);
    log.write({.event = "valid", .step = 250});
  }
  EXPECT_EQ(read_file(path), R"({"event":"train","step":100})"
                             "\n"
                             R"({"event":"train","step":200})"
                             "\n"
                             R"({"event":"valid","step":250})"
                             "\n");
}

TEST(TrainingLog, ANewTrainingBeginsANewLog) {
  const TemporaryFolder folder;
  const auto path = folder.file("log.jsonl", "from an older training\n");
  TrainingLog log(path, 0);
  EXPECT_EQ(read_file(path), "");
}

TEST(TrainingLog, AForeignFileIsRefusedWithTheLine) {
  const TemporaryFolder folder;
  const auto path = folder.file("log.jsonl", "{\"step\":1}\nhello\n");
  try {
    TrainingLog log(path, 5);
    FAIL() << "expected a FormatError";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("log.jsonl:2: "));
  }
}

// exp(2) = 7.39.
TEST(TrainingProgress, ShowsLossSpeedAndTimeLeft) {
  EXPECT_EQ(progress_text({.epoch = 2,
                           .step = 1200,
                           .last_step = 5000,
                           .loss = 2.5,
                           .nll = 2,
                           .tokens_per_second = 12345,
                           .seconds_left = 320}),
            "epoch 2  1200/5000  loss 2.500  ppl 7.39  12.3k tokens/s  5 min 20 s left");
  EXPECT_EQ(progress_text({.epoch = 1, .step = 7, .loss = 9, .nll = 0, .tokens_per_second = 10}),
            "epoch 1  7  loss 9.000  ppl 1  10 tokens/s");
}

}  // namespace
}  // namespace skein
