#include "skein/train/trainer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "error_of.h"
#include "skein/data/data_folder.h"
#include "skein/train/log_points.h"
#include "train/toy_task.h"

namespace skein {
namespace {

namespace fs = std::filesystem;

const ToyTask& task() {
  static const ToyTask instance;
  return instance;
}

// The content of a checkpoint's file, to compare to the bit.
std::string checkpoint_file(const std::string& run, int64_t step, const std::string& name) {
  return read_file(task().folder() / run / "checkpoints" / fmt::format("step-{:08}", step) / name);
}

TEST(Trainer, LearnsToReverse) {
  auto options = ToyTask::options(400);
  options->validation.bleu = true;
  const TrainingSummary summary = task().train_into("reverse", *options);
  EXPECT_EQ(summary.updates, 400);
  ASSERT_TRUE(summary.last_validation.has_value());
  // Eight words: guessing costs ln 8 = 2.08 nats a word. The task has no noise, so nearly nothing
  // is left.
  EXPECT_LT(summary.last_validation->nll, 0.5);
  EXPECT_GT(*summary.last_validation->bleu, 60);
  const std::string log = read_file(task().folder() / "reverse" / "log.jsonl");
  EXPECT_EQ(log_points(log, {.event = "train", .x = "step", .y = "loss"}, "log").size(), 4u);
  EXPECT_TRUE(fs::exists(task().folder() / "reverse" / "curve.svg"));
}

TEST(Trainer, StoppingAndGoingOnIsTheSameToTheBit) {
  for (const char* optimizer : {"adam", "nag", "adafactor"}) {
    for (const char* decay : {"0", "0.9"}) {
      const std::string name = std::string(optimizer) + decay;
      const auto make = [&](int64_t updates) {
        auto options = ToyTask::options(updates);
        options->settings().set("optimizer.name", optimizer);
        options->settings().set("average.decay", decay);
        options->settings().set("train.accumulate", "2");
        return options;
      };
      task().train_into("whole" + name, *make(24));
      for (const int64_t bound : {7, 12, 24}) task().train_into("parts" + name, *make(bound));
      for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
        EXPECT_EQ(checkpoint_file("whole" + name, 24, file),
                  checkpoint_file("parts" + name, 24, file))
            << name << " " << file;
      }
    }
  }
}

TEST(Trainer, GoingOnKeepsWhatPlateauAndPatienceHaveSeen) {
  const auto make = [](int64_t updates) {
    auto options = ToyTask::options(updates);
    for (const auto& [name, value] :
         {std::pair("schedule.name", "plateau"), std::pair("schedule.warmup_updates", "0"),
          std::pair("optimizer.lr", "0.05"), std::pair("validation.every", "5"),
          std::pair("validation.patience", "20")}) {
      options->settings().set(name, value);
    }
    return options;
  };
  task().train_into("plateau_whole", *make(40));
  // Stops between two validations and between a validation and the end of its epoch.
  for (const int64_t bound : {8, 11, 12, 23, 40}) task().train_into("plateau_parts", *make(bound));
  for (const char* file : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    EXPECT_EQ(checkpoint_file("plateau_whole", 40, file),
              checkpoint_file("plateau_parts", 40, file))
        << file;
  }
}

// Where epochs are shorter than the time between validations, as at the end of the fourth: batches
// of 10 make 30 updates of 300 pairs.
TEST(Trainer, AnEpochWithoutAValidationIsNoPlateau) {
  auto options = ToyTask::options(140);
  for (const auto& [name, value] :
       {std::pair("schedule.name", "plateau"), std::pair("schedule.warmup_updates", "0"),
        std::pair("optimizer.lr", "0.001"), std::pair("validation.every", "45"),
        std::pair("data.max_sentences", "10"), std::pair("train.log_every", "10")}) {
    options->settings().set(name, value);
  }
  task().train_into("no_plateau", *options);
  const std::string log = read_file(task().folder() / "no_plateau" / "log.jsonl");
  const auto losses = log_points(log, {.event = "valid", .x = "step", .y = "loss"}, "log");
  ASSERT_GE(losses.size(), 3u);
  for (size_t i = 1; i < losses.size(); ++i) EXPECT_LT(losses[i].y, losses[i - 1].y);
  for (const CurvePoint& rate : log_points(log, {.event = "train", .x = "step", .y = "lr"}, "log"))
    EXPECT_DOUBLE_EQ(rate.y, 0.001) << "update " << rate.x;
}

TEST(Trainer, TheSameSeedGivesTheSameModelAndAnotherSeedAnother) {
  const auto run = [](const std::string& name, const char* seed) {
    auto options = ToyTask::options(6);
    options->settings().set("train.seed", seed);
    task().train_into(name, *options);
    return checkpoint_file(name, 6, "model.safetensors");
  };
  const std::string first = run("seed_a", "3");
  EXPECT_EQ(first, run("seed_b", "3"));
  EXPECT_NE(first, run("seed_c", "4"));
}

TEST(Trainer, AccumulatedBatchesCountByTheirTokens) {
  // With plain SGD and no dropout, one update on two batches is one update on their union.
  const auto run = [](const std::string& name, const char* tokens, const char* accumulate) {
    auto options = ToyTask::options(1);
    for (const auto& [key, value] :
         {std::pair("optimizer.name", "sgd"), std::pair("model.dropout", "0"),
          std::pair("optimizer.lr", "1"), std::pair("schedule.name", "fixed"),
          std::pair("schedule.warmup_updates", "0"), std::pair("data.order", "file"),
          std::pair("data.max_tokens", tokens), std::pair("train.accumulate", accumulate)}) {
      options->settings().set(key, value);
    }
    return task().train_into(name, *options).last_validation->loss;
  };
  EXPECT_NEAR(run("union", "100000", "1"), run("parts", "400", "100"), 1e-4);
}

TEST(Trainer, AStopRequestSavesAndEnds) {
  auto options = ToyTask::options(1000);
  int asked = 0;
  const TrainingSummary summary =
      train(*options, {.data = {task().data()}, .output = task().folder() / "stopped"},
            [&asked] { return ++asked == 3; });
  EXPECT_TRUE(summary.interrupted);
  EXPECT_EQ(summary.updates, 3);
  EXPECT_TRUE(fs::exists(task().folder() / "stopped" / "checkpoints" / "step-00000003"));
}

TEST(Trainer, PatienceEndsTraining) {
  auto options = ToyTask::options(1000);
  options->settings().set("optimizer.lr", "0");
  options->settings().set("validation.every", "1");
  options->settings().set("validation.patience", "3");
  // The first validation is the best; three more do not improve on it.
  EXPECT_EQ(task().train_into("patience", *options).updates, 4);
}

TEST(Trainer, OtherSettingsThanTheCheckpointsAreRefusedWithBothValues) {
  task().train_into("settings", *ToyTask::options(2));
  auto options = ToyTask::options(4);
  options->settings().set("optimizer.lr", "0.001");
  EXPECT_THAT(error_of([&] { task().train_into("settings", *options); }),
              testing::HasSubstr("optimizer.lr was [0.005], is [0.001]"));
}

// A checkpoint's cursor means nothing in other data, nor in the same folders in another order.
TEST(Trainer, OtherDataThanTheCheckpointsIsRefused) {
  const auto run = [](const std::vector<fs::path>& data, int64_t updates) {
    train(*ToyTask::options(updates), {.data = data, .output = task().folder() / "same_data"},
          [] { return false; });
  };
  const fs::path data = task().data();
  const fs::path swapped = task().folder() / "swapped_splits";
  fs::copy(data, swapped, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  fs::copy_file(data_set_path(data, "valid"), data_set_path(swapped, "train"),
                fs::copy_options::overwrite_existing);
  run({data, swapped}, 2);
  run({data, swapped}, 3);
  EXPECT_THAT(
      error_of([&] {
        run({swapped, data}, 4);
      }),
      testing::AllOf(testing::HasSubstr("has 20 samples"), testing::HasSubstr("instead of 300"),
                     testing::HasSubstr("in the same order")));
  EXPECT_THAT(error_of([&] { run({data}, 4); }),
              testing::HasSubstr("--data names 1 instead of 2 folders"));
}

// Without clipping and warm-up such a rate throws the parameters about, but not to infinity.
TEST(Trainer, ADivergingLossIsWarnedOf) {
  auto options = ToyTask::options(200);
  for (const auto& [name, value] :
       {std::pair("optimizer.lr", "3"), std::pair("schedule.name", "fixed"),
        std::pair("schedule.warmup_updates", "0"), std::pair("train.clip_norm", "0"),
        std::pair("train.log_every", "10")}) {
    options->settings().set(name, value);
  }
  testing::internal::CaptureStderr();
  task().train_into("diverging", *options);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("training diverges"));
}

// Two folders of the same pairs with half the weight each are one of them: an epoch has as many.
TEST(Trainer, SeveralFoldersAreSeenAsOftenAsTheirWeightsSay) {
  const auto run = [](const std::string& name, std::vector<fs::path> data, const char* weights) {
    auto options = ToyTask::options(0);
    options->settings().set("train.max_epochs", "2");
    options->settings().set("data.max_sentences", "10");
    if (weights != nullptr) options->settings().set("data.weights", weights);
    return train(*options, {.data = std::move(data), .output = task().folder() / name},
                 [] { return false; });
  };
  const fs::path data = task().data();
  // 300 pairs in batches of 10.
  const int64_t once = run("once", {data}, nullptr).updates;
  EXPECT_EQ(once, 60);
  EXPECT_EQ(run("halves", {data, data}, "0.5,0.5").updates, once);
  EXPECT_EQ(run("twice", {data, data}, nullptr).updates, 2 * once);
  EXPECT_EQ(run("weights", {data, data}, "0.5,1.5").updates, 2 * once);
  EXPECT_EQ(run("one_weight", {data}, "2").updates, 2 * once);
}

TEST(Trainer, FoldersThatDoNotGoTogetherAreRefused) {
  const fs::path other = task().folder() / "other";
  fs::remove_all(other);
  fs::copy(task().data(), other, fs::copy_options::recursive);
  const DataFolderInfo info = read_data_folder(other);
  const fs::path vocabulary = other / info.target_vocabulary;
  write_file(vocabulary, read_file(vocabulary) + "another\n");
  write_data_folder_info(info, other);
  EXPECT_THAT(error_of([&] {
                train(*ToyTask::options(1),
                      {.data = {task().data(), other}, .output = task().folder() / "none"},
                      [] { return false; });
              }),
              testing::HasSubstr("another vocabulary than"));
}

TEST(Trainer, WhatCannotWorkIsRefusedBeforeTheFirstUpdate) {
  auto endless = ToyTask::options(0);
  EXPECT_THAT(error_of([&] { task().train_into("endless", *endless); }),
              testing::HasSubstr("has no end"));
  auto short_model = ToyTask::options(1);
  short_model->settings().set("model.max_positions", "3");
  EXPECT_THAT(error_of([&] { task().train_into("short", *short_model); }),
              testing::HasSubstr("do not fit the model's 3 positions"));
  EXPECT_THAT(error_of([&] {
                train(*ToyTask::options(1),
                      {.data = {task().folder()}, .output = task().folder() / "none"},
                      [] { return false; });
              }),
              testing::HasSubstr("skein prepare"));
}

}  // namespace
}  // namespace skein
