#include "skein/train/checkpoint_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "data/temporary_folder.h"
#include "skein/base/error.h"
#include "skein/base/random.h"
#include "train/example_checkpoint.h"

namespace skein {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class CheckpointStoreTest : public testing::Test {
 protected:
  CheckpointStoreTest()
      : vocabulary_(folder_.file("vocab.model", "a\nb\n")), training_(folder_.path() / "run") {}

  CheckpointContents contents(int64_t step, std::optional<double> loss = std::nullopt) const {
    CheckpointContents result = example_checkpoint(step, vocabulary_);
    if (loss) result.state.score = Score{.metric = "loss", .value = *loss};
    return result;
  }
  std::vector<int64_t> steps() const {
    std::vector<int64_t> all;
    for (const CheckpointPlace& place : list_checkpoints(training_)) all.push_back(place.step);
    return all;
  }
  int64_t step_of(const std::string& link) const {
    return Checkpoint(training_ / link).state().step;
  }

  TemporaryFolder folder_;
  fs::path vocabulary_;
  fs::path training_;
};

TEST_F(CheckpointStoreTest, KeepsTheLastAndTheBest) {
  CheckpointStore store(training_, {.keep_last = 2, .keep_best = 1});
  const std::vector<double> losses = {5, 3, 4, 3.5, 3.2};
  for (size_t i = 0; i < losses.size(); ++i) {
    store.save(contents(static_cast<int64_t>(i + 1) * 100, losses[i]));
  }
  EXPECT_THAT(steps(), ElementsAre(200, 400, 500));
  EXPECT_EQ(step_of("last"), 500);
  EXPECT_EQ(step_of("best"), 200);
  EXPECT_EQ(Checkpoint(*store.newest()).state().step, 500);
  EXPECT_EQ(Checkpoint(*store.best()).state().step, 200);
}

TEST_F(CheckpointStoreTest, LargerScoresAreBetterWhereTheMetricSaysSo) {
  CheckpointStore store(training_, {.keep_last = 1, .keep_best = 2});
  for (int64_t step = 1; step <= 4; ++step) {
    CheckpointContents each = contents(step);
    each.state.score = Score{.metric = "bleu",
                             .value = step == 2 ? 40.0 : static_cast<double>(step),
                             .larger_is_better = true};
    store.save(each);
  }
  EXPECT_THAT(steps(), ElementsAre(2, 4));
  EXPECT_EQ(step_of("best"), 2);
}

TEST_F(CheckpointStoreTest, ScoresOfAnotherMetricAreNotComparedWith) {
  CheckpointStore store(training_, {.keep_last = 1, .keep_best = 1});
  store.save(contents(1, 2.0));
  CheckpointContents bleu = contents(2);
  bleu.state.score = Score{.metric = "bleu", .value = 9, .larger_is_better = true};
  store.save(bleu);
  EXPECT_EQ(step_of("best"), 2);
}

TEST_F(CheckpointStoreTest, WithoutABestOneLinksStillPointAtWhatIsThere) {
  CheckpointStore store(training_, {.keep_last = 1, .keep_best = 0});
  store.save(contents(1, 1.0));
  store.save(contents(2, 2.0));
  EXPECT_THAT(steps(), ElementsAre(2));
  EXPECT_EQ(step_of("best"), 2);
}

TEST_F(CheckpointStoreTest, TranslationTakesTheBestElseTheNewest) {
  CheckpointStore store(training_, {.keep_last = 3});
  store.save(contents(1));
  store.save(contents(2));
  EXPECT_EQ(ModelFolder(training_).parameters().metadata().at("step"), "2");
  store.save(contents(3, 1.0));
  store.save(contents(4, 2.0));
  EXPECT_EQ(ModelFolder(training_).parameters().metadata().at("step"), "3");
}

TEST_F(CheckpointStoreTest, TheFolderMayBeMoved) {
  CheckpointStore(training_, {}).save(contents(1, 1.0));
  fs::rename(training_, folder_.path() / "moved");
  EXPECT_EQ(Checkpoint(folder_.path() / "moved" / "best").state().step, 1);
}

TEST_F(CheckpointStoreTest, ANewStoreGoesOnWithWhatIsThere) {
  CheckpointStore(training_, {.keep_last = 2}).save(contents(1, 1.0));
  CheckpointStore store(training_, {.keep_last = 2});
  EXPECT_EQ(Checkpoint(*store.newest()).state().step, 1);
  store.save(contents(1, 3.0));  // again
  store.save(contents(2, 2.0));
  EXPECT_THAT(steps(), ElementsAre(1, 2));
  EXPECT_EQ(step_of("best"), 2);
}

TEST_F(CheckpointStoreTest, ASecondTrainingInTheSameFolderIsRefused) {
  const CheckpointStore store(training_, {});
  try {
    const CheckpointStore second(training_, {});
    FAIL() << "expected a FileError";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another training writes to"));
  }
}

TEST_F(CheckpointStoreTest, AFailedSaveLeavesTheOnesBefore) {
  CheckpointStore store(training_, {.keep_last = 1});
  store.save(contents(1));
  CheckpointContents broken = contents(2);
  broken.model.files = {folder_.path() / "missing"};  // fails half-way, as a full disk does
  EXPECT_THROW(store.save(broken), FileError);
  EXPECT_THAT(steps(), ElementsAre(1));
  EXPECT_EQ(step_of("last"), 1);
}

// Saves one checkpoint after another until it is killed.
[[noreturn]] void save_for_ever(const fs::path& training, const fs::path& vocabulary) {
  try {
    CheckpointStore store(training, {.keep_last = 2});
    int64_t step = store.newest() ? Checkpoint(*store.newest()).state().step : 0;
    while (true) {
      ++step;
      CheckpointContents contents = example_checkpoint(step, vocabulary);
      contents.state.score = Score{.metric = "loss", .value = static_cast<double>(step % 7)};
      store.save(std::move(contents));
    }
  } catch (const std::exception&) {
    ::_exit(1);
  }
}

TEST_F(CheckpointStoreTest, KilledAtAnyMomentTheNewestCheckpointLoadsAndSavingGoesOn) {
  Random random(20);
  int64_t newest = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) save_for_ever(training_, vocabulary_);
    // The first one must be there before the first kill.
    while (round == 0 && list_checkpoints(training_).empty()) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(100'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child failed";

    for (const CheckpointPlace& place : list_checkpoints(training_)) {
      const Checkpoint checkpoint(place.path);
      auto parameters = example_tensors(0);
      auto optimizer = example_tensors(0);
      checkpoint.load_parameters(parameters);
      checkpoint.load_optimizer(optimizer);
      EXPECT_EQ(checkpoint.state().step, place.step);
      EXPECT_EQ(parameters[0].values.values<float>()[0], static_cast<float>(place.step));
    }
    const int64_t step = list_checkpoints(training_).back().step;
    EXPECT_GE(step, newest);
    newest = step;
  }
  EXPECT_GT(newest, 1);
}

}  // namespace
}  // namespace skein
