#include "skein/train/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "data/temporary_folder.h"
#include "skein/base/error.h"
#include "skein/data/data_folder.h"
#include "skein/data/data_set_writer.h"
#include "skein/train/checkpoint_store.h"
#include "train/example_checkpoint.h"

namespace skein {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class InspectTest : public testing::Test {
 protected:
  InspectTest()
      : vocabulary_(folder_.file("vocab.model", "a\nb\n")), training_(folder_.path() / "run") {
    CheckpointStore store(training_, {.keep_last = 10});
    for (const int64_t step : {100, 200}) {
      CheckpointContents contents = example_checkpoint(step, vocabulary_);
      contents.state.score = Score{.metric = "loss", .value = static_cast<double>(step) / 40};
      contents.state.numbers["schedule"]["lr"] = 0.25;
      store.save(std::move(contents));
    }
  }

  TemporaryFolder folder_;
  fs::path vocabulary_;
  fs::path training_;
};

TEST_F(InspectTest, ATrainingShowsItsCheckpointsAndTheOneThatTranslates) {
  EXPECT_EQ(inspect(training_), training_.string() +
                                    ": checkpoints of a training\n"
                                    "  step 100, loss 2.5\n"
                                    "  step 200, loss 5\n"
                                    "\n"
                                    "The one that translates is " +
                                    (training_ / "best").string() +
                                    ":\n"
                                    "step 100, loss 2.5\n"
                                    "schedule:\n"
                                    "  lr: 0.25\n"
                                    "optimizer.safetensors: 2 tensors, 3 values, checksum right\n"
                                    "model.safetensors: 2 tensors, 3 values, checksum right\n"
                                    "  weight  f32   [2]\n"
                                    "  bias    f32   [1]\n"
                                    "vocab.model: 4 bytes, as at training\n"
                                    "config.toml:\n"
                                    "  [model]\n"
                                    "  name = \"tiny\"\n");
}

TEST_F(InspectTest, ATensorFileShowsItsMetadata) {
  const std::string text = inspect(training_ / "last" / "model.safetensors");
  EXPECT_THAT(text, HasSubstr("2 tensors, 3 values, checksum right\n"));
  EXPECT_THAT(text, HasSubstr("  step: 200\n"));
}

TEST_F(InspectTest, ADamagedCheckpointIsAnError) {
  const fs::path file = training_ / "best" / "optimizer.safetensors";
  std::string content = read_file(file);
  content.back() = static_cast<char>(content.back() ^ 1);
  std::ofstream(file) << content;
  try {
    inspect(training_);
    FAIL() << "expected a FormatError";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("optimizer.safetensors: the content does not match"));
  }
}

TEST_F(InspectTest, PreparedDataShowsItsCounts) {
  const fs::path data = folder_.path() / "data";
  fs::create_directory(data);
  DataSetWriter writer(data_set_path(data, "train"), {.source = 10, .target = 12});
  writer.add(std::vector<int32_t>{4, 5, 6}, std::vector<int32_t>{7, 8});
  writer.close();
  DataFolderInfo info;
  info.source_language = "en";
  info.target_language = "de";
  write_data_folder_info(info, data);
  const std::string text = inspect(data);
  EXPECT_THAT(text, HasSubstr("prepared data from en to de\n"));
  EXPECT_THAT(text, HasSubstr("train.skd: 1 pairs, 3 source tokens of 10 kinds, 2 target tokens of "
                              "12 kinds, checksum right\n"));
}

TEST_F(InspectTest, AVocabularyShowsItsSizeAndType) {
  const fs::path path = folder_.file("words",
                                     "#skein-vocabulary 1 word\nnormalization nfc\n"
                                     "section symbols 1\n<2de>\nsection pieces 2\nthe\nof\n");
  EXPECT_EQ(inspect(path),
            path.string() + ": vocabulary of 7 pieces, type word, normalization nfc\n");
}

TEST_F(InspectTest, WhatIsNothingOfOursIsSaid) {
  EXPECT_THROW(inspect(folder_.path() / "nowhere"), FileError);
  EXPECT_THROW(inspect(folder_.path()), FileError);
  try {
    inspect(vocabulary_);
    FAIL() << "expected a FormatError";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("vocab.model: this is neither a SentencePiece model nor"));
    EXPECT_THAT(error.what(), HasSubstr("; other files to inspect are named .safetensors or .skd"));
  }
}

}  // namespace
}  // namespace skein
