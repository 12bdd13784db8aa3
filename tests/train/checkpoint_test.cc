#include "skein/train/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "data/temporary_folder.h"
#include "error_of.h"
#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/optim/named_numbers.h"
#include "train/example_checkpoint.h"

namespace skein {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const fs::path& folder) {
  try {
    const Checkpoint checkpoint(folder);
    auto targets = example_tensors(0);
    checkpoint.load_parameters(targets);
    checkpoint.load_optimizer(targets);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest()
      : vocabulary_(folder_.file("vocab.model", "a\nb\n")), path_(folder_.path() / "step") {}

  TemporaryFolder folder_;
  fs::path vocabulary_;
  fs::path path_;
};

TEST_F(CheckpointTest, WhatIsSavedIsLoadedToTheBit) {
  CheckpointContents contents = example_checkpoint(7, vocabulary_);
  contents.state.score = Score{.metric = "bleu", .value = 31.25, .larger_is_better = true};
  contents.state.numbers = {{"schedule", {{"lr", 0.1}, {"best", 1.0 / 3.0}}},
                            {"cursor", {{"epoch", 2}, {"batches", 12345678901234.0}}}};
  write_checkpoint(path_, contents);

  const Checkpoint checkpoint(path_);
  EXPECT_EQ(checkpoint.state().step, 7);
  EXPECT_EQ(checkpoint.state().score->value, 31.25);
  EXPECT_TRUE(checkpoint.state().score->larger_is_better);
  EXPECT_EQ(checkpoint.state().numbers, contents.state.numbers);
  EXPECT_EQ(checkpoint.numbers("schedule").at("best"), 1.0 / 3.0);
  EXPECT_THROW(checkpoint.numbers("scheduler"), FormatError);
  auto parameters = example_tensors(0);
  checkpoint.load_parameters(parameters);
  EXPECT_THAT(parameters[0].values.values<float>(), ElementsAre(7, 7.5));
}

TEST_F(CheckpointTest, ItIsAModelFolderOfItsOwn) {
  write_checkpoint(path_, example_checkpoint(7, vocabulary_));
  const ModelFolder model(path_);
  EXPECT_EQ(read_file(model.config()), "[model]\nname = \"tiny\"\n");
  EXPECT_THAT(model.files(), ElementsAre("vocab.model"));
  EXPECT_EQ(read_file(model.path() / "vocab.model"), "a\nb\n");
  EXPECT_EQ(model.parameters().metadata().at("step"), "7");
}

TEST_F(CheckpointTest, AMovingAverageIsTheModelAndTheParametersLieBeside) {
  CheckpointContents contents = example_checkpoint(7, vocabulary_);
  contents.parameters = example_tensors(40);
  write_checkpoint(path_, contents);
  const Checkpoint checkpoint(path_);
  auto averaged = example_tensors(0);
  auto raw = example_tensors(0);
  checkpoint.model().load(averaged);
  checkpoint.load_parameters(raw);
  EXPECT_EQ(averaged[0].values.values<float>()[0], 7);
  EXPECT_EQ(raw[0].values.values<float>()[0], 40);
}

TEST_F(CheckpointTest, EveryDamagedFileIsNamed) {
  for (const std::string name :
       {"model.safetensors", "optimizer.safetensors", "state.json", "vocab.model"}) {
    write_checkpoint(path_, example_checkpoint(7, vocabulary_));
    ASSERT_EQ(error_of(path_), "no error");
    std::string content = read_file(path_ / name);
    std::ofstream(path_ / name) << content.substr(0, content.size() - 2);
    EXPECT_THAT(error_of(path_), HasSubstr((path_ / name).string())) << "truncated";
    content[content.size() / 2] = '\x01';
    std::ofstream(path_ / name) << content;
    EXPECT_THAT(error_of(path_), HasSubstr((path_ / name).string())) << "altered";
    fs::remove(path_ / name);
    EXPECT_THAT(error_of(path_), HasSubstr(path_.string())) << "missing";
  }
}

TEST_F(CheckpointTest, NumbersThatJsonHasNotSurvive) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  TrainingState state{.step = 3};
  state.numbers["x"] = {{"a", kInfinity}, {"b", -kInfinity}, {"c", std::nan("")}, {"d", -0.0}};
  const TrainingState read = training_state_from_json(to_json(state), "state.json");
  EXPECT_EQ(read.numbers.at("x").at("a"), kInfinity);
  EXPECT_EQ(read.numbers.at("x").at("b"), -kInfinity);
  EXPECT_TRUE(std::isnan(read.numbers.at("x").at("c")));
  EXPECT_TRUE(std::signbit(read.numbers.at("x").at("d")));
}

TEST_F(CheckpointTest, AStateOfALaterVersionIsRefused) {
  const std::string later = R"({"version": 2, "step": 1, "numbers": {}})";
  try {
    training_state_from_json(later, "state.json");
    FAIL() << "expected a FormatError";
  } catch (const FormatError& error) {
    EXPECT_THAT(error.what(), HasSubstr("state.json: "));
    EXPECT_THAT(error.what(), HasSubstr("version 2"));
  }
}

TEST_F(CheckpointTest, AStateThatIsNoJsonIsRefusedWithLineAndColumn) {
  EXPECT_THAT(
      skein::error_of([] { training_state_from_json("{\n}}", "state.json"); }),
      testing::AllOf(testing::StartsWith(
                         "state.json: no state of a checkpoint (line 2, column 2: syntax error"),
                     testing::EndsWith("); use another checkpoint")));
  EXPECT_THAT(skein::error_of([] { training_state_from_json("{}", "state.json"); }),
              HasSubstr("(key 'version' not found)"));
}

TEST_F(CheckpointTest, AStateWhoseCountsAreNoneIsRefused) {
  for (const char* step : {"1.5", "1e300", "18446744073709551615", "\"1\"", "-1"}) {
    const std::string text =
        std::string(R"({"version": 1, "step": )") + step + R"(, "numbers": {}})";
    EXPECT_THAT(skein::error_of([&] { training_state_from_json(text, "state.json"); }),
                testing::StartsWith("state.json: no state of a checkpoint ("))
        << step;
  }
  for (const double value : {-1.0, 1.5, 1e300, std::nan("")}) {
    EXPECT_THAT(skein::error_of([&] {
                  count_of({{"batch", value}}, "batch", "cursor");
                }),
                HasSubstr("which is no count; use another checkpoint"));
  }
  EXPECT_EQ(count_of({{"batch", 12}}, "batch", "cursor"), 12);
}

TEST_F(CheckpointTest, AFolderWithoutAModelIsRefusedWithTheRemedy) {
  EXPECT_THAT(error_of(folder_.path() / "nowhere"), HasSubstr("there is no folder"));
  EXPECT_THAT(error_of(folder_.path()), HasSubstr("holds no model"));
}

// Any single digit of the state: nothing in it may be altered.
TEST_F(CheckpointTest, AnAlteredStateIsRefused) {
  CheckpointContents contents = example_checkpoint(20, vocabulary_);
  contents.state.numbers = {{"schedule", {{"lr", 0.25}}}};
  write_checkpoint(path_, contents);
  const std::string state = read_file(path_ / kStateFile);
  for (size_t i = 0; i < state.size(); ++i) {
    if (state[i] < '0' || state[i] > '8') continue;
    std::string altered = state;
    ++altered[i];
    write_file(path_ / kStateFile, altered);
    EXPECT_THAT(error_of(path_), HasSubstr("state.json: this is not the state that ")) << altered;
  }
  write_file(path_ / kStateFile, state);
  EXPECT_EQ(error_of(path_), "no error");
}

TEST_F(CheckpointTest, AFileOfAnotherCheckpointIsRefused) {
  const fs::path other = folder_.path() / "other";
  for (const char* name : {kOptimizerFile, kTrainingParametersFile, kParametersFile}) {
    for (const int64_t step : {10, 20}) {
      CheckpointContents contents = example_checkpoint(step, vocabulary_);
      contents.parameters = example_tensors(static_cast<float>(step));
      write_checkpoint(step == 10 ? other : path_, contents);
    }
    EXPECT_EQ(error_of(path_), "no error");
    fs::copy_file(other / name, path_ / name, fs::copy_options::overwrite_existing);
    EXPECT_NE(error_of(path_), "no error") << name;
    if (name == kParametersFile) continue;  // then it is the state that does not fit
    EXPECT_THAT(error_of(path_), HasSubstr(std::string(name) + ": this file is not of update 20"));
  }
}

}  // namespace
}  // namespace skein
