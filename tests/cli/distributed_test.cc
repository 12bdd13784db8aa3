// `skein train` under mpirun and srun. Needs Open MPI, which scripts/setup installs, and Slurm,
// which scripts/setup --checks does; skips without.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/shell.h"
#include "cli/small_training.h"
#include "cli/trained_model.h"
#include "data/temporary_folder.h"
#include "paths.h"
#include "skein/base/files.h"

namespace skein {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class Distributed : public testing::Test {
 protected:
  void SetUp() override {
    if (run_shell("command -v mpirun.openmpi").exit_code != 0) GTEST_SKIP() << "no Open MPI here";
    folder_.file("t.en", text({"one", "two", "three", "four", "five", "six"}));
    folder_.file("t.de", text({"eins", "zwei", "drei", "vier", "sechs", "acht"}));
    const ShellResult made = run(
        "skein vocab --input t.en t.de --type char --size 100 --output v && skein prepare --source "
        "en --target de --train t --valid t --vocab v --output data");
    ASSERT_EQ(made.exit_code, 0) << made.error;
  }

  static std::string text(const std::vector<std::string>& words) {
    std::string lines;
    for (const std::string& first : words) {
      for (const std::string& second : words) lines += first + " " + second + "\n";
    }
    return lines;
  }

  // As root too, on any number of cores. The sanitizer would find what MPI leaves behind.
  static std::string mpirun() {
    return "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
           "OMPI_MCA_rmaps_base_oversubscribe=1 exec mpirun.openmpi ";
  }
  static std::string train(const std::string& output, int updates,
                           const std::string& settings = "") {
    return small_training(output, updates, 150, settings);
  }
  static std::string on(int ranks, const std::string& command) {
    return fmt::format("{}-np {} {}", mpirun(), ranks, command);
  }

  ShellResult run(const std::string& line) const { return run_shell(line, folder_.path()); }
  void succeed(const std::string& line) const {
    const ShellResult result = run(line);
    ASSERT_EQ(result.exit_code, 0) << line << "\n" << result.error;
  }

  // The rows of a log: the epoch (where in the data) and loss of every update.
  std::vector<nlohmann::json> updates_of(const std::string& output) const {
    std::vector<nlohmann::json> rows;
    for (const std::string& line : lines_of(read_file(folder_.path() / output / "log.jsonl"))) {
      const auto row = nlohmann::json::parse(line);
      if (row.at("event") == "train") rows.push_back(row);
    }
    return rows;
  }
  void expect_same_course(const std::string& output, const std::string& expected) const {
    const auto found = updates_of(output), other = updates_of(expected);
    ASSERT_EQ(found.size(), other.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].at("epoch"), other[i].at("epoch")) << "update " << i + 1;
      EXPECT_NEAR(found[i].at("loss").get<double>(), other[i].at("loss").get<double>(), 1e-3)
          << "update " << i + 1;
      EXPECT_EQ(found[i].at("step"), other[i].at("step"));
    }
  }
  std::string parameters_of(const std::string& output) const {
    return read_file(folder_.path() / output / "last" / "model.safetensors");
  }

  // A training that goes on until something happens to it, once it has a checkpoint.
  std::unique_ptr<StartedShell> start_long_training(int ranks) {
    auto shell = std::make_unique<StartedShell>(
        on(ranks, train("model", 1'000'000,
                        "--checkpoint.every 5 --train.log_every 1000 --collective-timeout 10")),
        folder_.path());
    while (!fs::exists(folder_.path() / "model" / "last") && !shell->ended()) pause();
    EXPECT_FALSE(shell->ended()) << shell->error();
    return shell;
  }
  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

  // The process of a rank: a child of mpirun.
  static pid_t process_of(const StartedShell& shell, int rank) {
    const std::string wanted = fmt::format("OMPI_COMM_WORLD_RANK={}", rank);
    const ShellResult found = run_shell(
        fmt::format("for p in $(cat /proc/{}/task/*/children); do tr '\\0' '\\n' </proc/$p/environ "
                    "| grep -qx {} && echo $p; done",
                    shell.id(), wanted));
    EXPECT_FALSE(found.out.empty()) << found.error;
    return static_cast<pid_t>(std::stol(found.out));
  }

  // Goes on from what is there, for a few updates.
  void expect_to_go_on() const {
    const std::string target = fs::read_symlink(folder_.path() / "model" / "last").filename();
    const int step = std::stoi(target.substr(target.find('-') + 1));
    const ShellResult result = run(on(2, train("model", step + 3, "--checkpoint.every 5")));
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.error, AllOf(HasSubstr("going on from model/checkpoints/" + target),
                                    HasSubstr(fmt::format("done after {} updates", step + 3))));
  }

  TemporaryFolder folder_;
};

int count(const std::string& text, const std::string& part) {
  int times = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST_F(Distributed, ProcessesTrainAsOneDoes) {
  succeed(train("one", 8));
  for (const int ranks : {2, 4}) {
    const std::string output = fmt::format("by{}", ranks);
    const ShellResult result = run(on(ranks, train(output, 8, "--train.accumulate 1")));
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_EQ(count(result.error, "collectives: MPI (Open MPI "), 1) << result.error;
    EXPECT_THAT(result.error,
                HasSubstr(fmt::format("{} processes on 1 host: mpirun started them", ranks)));
    EXPECT_EQ(count(result.error, "done after 8 updates"), 1) << result.error;
    expect_same_course(output, "one");
  }
  succeed(on(2, train("again", 8)));
  EXPECT_EQ(parameters_of("again"), parameters_of("by2"));
}

TEST_F(Distributed, AnotherNumberOfProcessesGoesOnWithTheSameSamples) {
  succeed(train("one", 12, "--checkpoint.every 4 --average.decay 0.9"));
  succeed(on(2, train("model", 4, "--checkpoint.every 4 --average.decay 0.9")));
  succeed(on(3, train("model", 8, "--checkpoint.every 4 --average.decay 0.9")));
  succeed(train("model", 12, "--checkpoint.every 4 --average.decay 0.9"));
  expect_same_course("model", "one");
}

TEST_F(Distributed, ProcessesThatDifferAreRefusedWithTheDifference) {
  const ShellResult settings = run(fmt::format("{}-np 1 {} : -np 1 {}", mpirun(), train("model", 3),
                                               train("model", 3, "--optimizer.beta1 0.8")));
  EXPECT_EQ(settings.exit_code, 2) << settings.error;
  EXPECT_EQ(count(settings.error, "skein: "), 1) << settings.error;
  EXPECT_THAT(settings.error, AllOf(HasSubstr("skein: the ranks are not alike: on rank 1 on "),
                                    HasSubstr("optimizer.beta1 is 0.8 instead of 0.9")));

  folder_.file("u.en", text({"one", "two"}));
  folder_.file("u.de", text({"two", "one"}));
  succeed("skein prepare --source en --target de --train u --valid t --vocab v --output other");
  std::string elsewhere = train("model", 3);
  elsewhere.replace(elsewhere.find("--data data"), 11, "--data other");
  const ShellResult data =
      run(fmt::format("{}-np 1 {} : -np 1 {}", mpirun(), train("model", 3), elsewhere));
  EXPECT_EQ(data.exit_code, 2) << data.error;
  EXPECT_THAT(data.error, AllOf(HasSubstr("train of --data folder 1 is 4 samples with checksum "),
                                HasSubstr(" instead of 36 samples")));
  EXPECT_FALSE(fs::exists(folder_.path() / "model" / "config.toml"));
}

TEST_F(Distributed, AnErrorOfAllIsToldOnce) {
  std::string command = train("model", 3);
  command.replace(command.find("--data data"), 11, "--data none");
  const ShellResult result = run(on(3, command));
  EXPECT_EQ(result.exit_code, run(command).exit_code) << result.error;
  EXPECT_EQ(count(result.error, "skein: "), 1) << result.error;
}

// A file system of 1 MiB, which no other process sees.
TEST_F(Distributed, ADiskThatIsFullOnRank0EndsAll) {
  folder_.file("script", "mkdir disk && mount -t tmpfs -o size=1m none disk || exit 77\n" +
                             on(2, train("disk/model", 10'000,
                                         "--checkpoint.every 1 --checkpoint.keep_last 10000")) +
                             "\n");
  const ShellResult result =
      run("unshare --mount true 2>/dev/null || rights='--user --map-root-user'\n"
          "unshare $rights --mount bash script");
  if (result.exit_code == 77) GTEST_SKIP() << "no right to mount a file system";
  EXPECT_EQ(result.exit_code, 1) << result.error;
  EXPECT_EQ(count(result.error, "skein: "), 1) << result.error;
  EXPECT_THAT(result.error, HasSubstr("No space left on device"));
}

TEST_F(Distributed, AFrozenProcessIsNamedAndTrainingGoesOnFromTheLastCheckpoint) {
  const auto shell = start_long_training(3);
  const pid_t frozen = process_of(*shell, 1);
  ASSERT_EQ(::kill(frozen, SIGSTOP), 0);
  const ShellResult result = shell->wait();
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.error, AllOf(HasSubstr("got no answer within 10 s: rank 1 on "),
                                  HasSubstr("has not come and gave no sign of life")));
  expect_to_go_on();
}

TEST_F(Distributed, AKilledProcessEndsAllAndTrainingGoesOnFromTheLastCheckpoint) {
  const auto shell = start_long_training(3);
  ASSERT_EQ(::kill(process_of(*shell, 2), SIGKILL), 0);
  const ShellResult result = shell->wait();
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.error, HasSubstr("rank 2"));
  expect_to_go_on();
}

TEST_F(Distributed, ASignalToOneProcessStopsAllAfterTheSameUpdate) {
  const auto shell = start_long_training(2);
  ASSERT_EQ(::kill(process_of(*shell, 1), SIGTERM), 0);
  const ShellResult result = shell->wait();
  EXPECT_EQ(count(result.error, "interrupted after "), 1) << result.error;
  expect_to_go_on();
}

// In a cluster of this machine alone.
TEST_F(Distributed, SlurmStartsProcessesToo) {
  folder_.file("script",
               "export ASAN_OPTIONS=detect_leaks=0\n"
               "srun --mpi=pmix -n 2 " +
                   train("model", 4) + " 2>mpi || exit\n" + "srun -n 2 " + train("other", 4) +
                   " 2>no_mpi; echo code $?\n");
  const ShellResult result =
      run((source_folder() / "tests" / "cli" / "slurm_cluster.sh").string() + " script");
  if (result.exit_code == 77) GTEST_SKIP() << "no Slurm here: " << result.error;
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(read_file(folder_.path() / "mpi"),
              HasSubstr("2 processes on 1 host: srun started them"));
  succeed(train("one", 4));
  expect_same_course("model", "one");
  // Such processes cannot find each other.
  EXPECT_EQ(result.out, "code 2\n");
  EXPECT_THAT(read_file(folder_.path() / "no_mpi"),
              HasSubstr("skein: srun started 2 processes, but without MPI; start them by srun "
                        "--mpi=pmix"));
}

TEST_F(Distributed, VocabularyAndDataAreThoseOfOneProcess) {
  const std::string vocab =
      "skein vocab --threads 1 --input t.en t.de --type bpe --size 60 --output ";
  const std::string prepare =
      "skein prepare --source en --target de --train t --valid t --vocab one --output ";
  succeed(vocab + "one && " + prepare + "data1");
  const ShellResult learned = run(on(3, vocab + "three"));
  ASSERT_EQ(learned.exit_code, 0) << learned.error;
  EXPECT_EQ(count(learned.error, "three: bpe, "), 1) << learned.error;
  EXPECT_EQ(read_file(folder_.path() / "three"), read_file(folder_.path() / "one"));
  succeed(on(3, prepare + "data3"));
  succeed("diff -r data1 data3");
  const ShellResult missing = run(on(2, prepare + "data2 --test nowhere"));
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(count(missing.error, "skein: "), 1) << missing.error;
  EXPECT_FALSE(fs::exists(folder_.path() / "data2"));
}

// The same model, and checkpoints for any number of processes.
TEST_F(Distributed, TheOptimizersStateCanBeSplit) {
  const std::string zero = "--parallel.zero 1";
  succeed(on(3, train("plain", 4)));
  succeed(on(3, train("split", 4, zero)));
  EXPECT_EQ(parameters_of("split"), parameters_of("plain"));
  succeed("cp -r split two && cp -r split alone");
  succeed(on(3, train("split", 8, zero)));
  succeed(on(2, train("two", 8, zero)));
  succeed(train("alone", 8));
  expect_same_course("two", "split");
  expect_same_course("alone", "split");
}

TEST_F(Distributed, OneProcessNeedsNoMpi) {
  const ShellResult one = run(on(1, train("model", 2)));
  EXPECT_EQ(one.exit_code, 0) << one.error;
  EXPECT_THAT(one.error, HasSubstr("collectives: none, mpirun started one process"));
  EXPECT_EQ(count(run(train("plain", 1)).error, "collectives"), 0);
}

}  // namespace
}  // namespace skein
