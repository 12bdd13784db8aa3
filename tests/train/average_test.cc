#include "skein/train/average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/temporary_folder.h"
#include "error_of.h"
#include "skein/base/error.h"
#include "skein/train/checkpoint_store.h"
#include "train/example_checkpoint.h"

namespace skein {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class AverageTest : public testing::Test {
 protected:
  AverageTest()
      : vocabulary_(folder_.file("vocab.model", "a\nb\n")), training_(folder_.path() / "run") {
    CheckpointStore store(training_, {.keep_last = 10});
    // Steps 1, 2, 4, 8, 16 with the losses 5, 4, 1, 2, 3.
    for (const auto& [step, loss] :
         std::vector<std::pair<int64_t, double>>{{1, 5}, {2, 4}, {4, 1}, {8, 2}, {16, 3}}) {
      CheckpointContents contents = example_checkpoint(step, vocabulary_);
      contents.state.score = Score{.metric = "loss", .value = loss};
      store.save(std::move(contents));
    }
  }

  float averaged(const std::vector<fs::path>& inputs) const {
    average_models(inputs, folder_.path() / "mean");
    auto parameters = example_tensors(0);
    ModelFolder(folder_.path() / "mean").load(parameters);
    return parameters[0].values.values<float>()[0];
  }

  TemporaryFolder folder_;
  fs::path vocabulary_;
  fs::path training_;
};

TEST_F(AverageTest, OfTheLastIsTheirMean) {
  EXPECT_FLOAT_EQ(averaged(last_checkpoints(training_, 2)), 12);
  EXPECT_FLOAT_EQ(averaged(last_checkpoints(training_, 5)), 31.0f / 5);
}

// The losses 1 and 2 are those of the steps 4 and 8.
TEST_F(AverageTest, OfTheBestIsChosenByScore) {
  EXPECT_FLOAT_EQ(averaged(best_checkpoints(training_, 2)), 6);
}

// In float32, 2^24 + 1 + 1 + ... would stay 2^24.
TEST_F(AverageTest, SumsInFloat64) {
  CheckpointStore store(training_, {.keep_last = 10});
  store.save(example_checkpoint(16777216, vocabulary_));
  const fs::path one = training_ / checkpoint_name(1);
  EXPECT_FLOAT_EQ(averaged({training_ / checkpoint_name(16777216), one, one, one}), 4194304.75f);
}

TEST_F(AverageTest, TheResultIsAModelFolderOfItsOwn) {
  averaged(last_checkpoints(training_, 2));
  const ModelFolder model(folder_.path() / "mean");
  EXPECT_EQ(read_file(model.config()), "[model]\nname = \"tiny\"\n");
  EXPECT_THAT(model.files(), ElementsAre("vocab.model"));
  EXPECT_EQ(model.parameters().metadata().at("averaged"), "2");
}

TEST_F(AverageTest, TooFewCheckpointsAreSaid) {
  EXPECT_THAT(error_of([&] { last_checkpoints(training_, 6); }),
              HasSubstr("has 5 checkpoints, but 6 are asked for"));
  EXPECT_THAT(error_of([&] { last_checkpoints(training_, 0); }), HasSubstr("at least 1"));
}

TEST_F(AverageTest, DifferentModelsAreRefused) {
  CheckpointContents other = example_checkpoint(1, vocabulary_);
  other.model.parameters[1].values = Tensor::zeros({3}, DType::kF32);
  write_checkpoint(folder_.path() / "other", other);
  EXPECT_THAT(error_of([&] {
                averaged({training_ / "last", folder_.path() / "other"});
              }),
              HasSubstr("are different models: bias of shape [1] is not in both"));

  folder_.file("vocab.model", "a\nc\n");
  write_checkpoint(folder_.path() / "other", example_checkpoint(1, vocabulary_));
  EXPECT_THAT(error_of([&] {
                averaged({training_ / "last", folder_.path() / "other"});
              }),
              HasSubstr("their vocab.model differ"));
}

TEST_F(AverageTest, NothingButAModelIsReplaced) {
  folder_.file("precious", "x");
  const auto inputs = last_checkpoints(training_, 2);
  EXPECT_THAT(error_of([&] { average_models(inputs, folder_.path()); }),
              HasSubstr("is there already and is no model"));
  EXPECT_THAT(error_of([&] { average_models(inputs, inputs[1]); }),
              HasSubstr("is one of the models to average"));
  EXPECT_FLOAT_EQ(averaged(inputs), 12);
  EXPECT_FLOAT_EQ(averaged({inputs[1]}), 8);
}

}  // namespace
}  // namespace skein
