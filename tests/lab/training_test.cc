// `skein train --collectives aggbox` over the hosts of a lab, compared with one process.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "aggbox/aggbox/doctor.h"
#include "aggbox/aggbox/lab.h"
#include "cli/shell.h"
#include "cli/small_training.h"
#include "data/temporary_folder.h"
#include "skein/base/files.h"

namespace skein {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class TrainingInALab : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string fault = aggbox::first_fault(); !fault.empty())
      GTEST_SKIP() << "left out: " << fault;
    std::string source, target;
    for (int i = 0; i < 60; ++i) {
      source += fmt::format("{} {}\n", i % 7, i % 5);
      target += fmt::format("{} {}\n", i % 5, i % 7);
    }
    folder_.file("t.a", source);
    folder_.file("t.b", target);
    succeed(
        "skein vocab --input t.a t.b --type char --size 100 --output v && skein prepare --source a "
        "--target b --train t --valid t --vocab v --output data");
  }
  void TearDown() override { aggbox::Lab::down(); }

  static std::string train(const std::string& output, int updates,
                           const std::string& settings = "") {
    return small_training(output, updates, 60, settings);
  }
  static std::string in_lab(const std::string& command, int ranks_per_host = 1) {
    return fmt::format("{} lab mpirun --ranks-per-host {} -- -x ASAN_OPTIONS=detect_leaks=0 {}",
                       AGGBOX_COMMAND, ranks_per_host, command);
  }

  ShellResult run(const std::string& line) const { return run_shell(line, folder_.path()); }
  void succeed(const std::string& line) const {
    const ShellResult result = run(line);
    ASSERT_EQ(result.exit_code, 0) << line << "\n" << result.error;
  }

  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

  std::vector<double> losses_of(const std::string& output) const {
    std::vector<double> losses;
    std::istringstream log(read_file(folder_.path() / output / "log.jsonl"));
    for (std::string line; std::getline(log, line);) {
      const auto row = nlohmann::json::parse(line);
      if (row.at("event") == "train") losses.push_back(row.at("loss").get<double>());
    }
    return losses;
  }
  std::string parameters_of(const std::string& output) const {
    return read_file(folder_.path() / output / "last" / "model.safetensors");
  }

  TemporaryFolder folder_;
};

TEST_F(TrainingInALab, SumsInTheKernelTrainAsOneProcessDoes) {
  succeed(train("one", 8));
  aggbox::Lab::up({.hosts = 3});
  for (const char* output : {"three", "again"}) {
    const ShellResult result = run(in_lab(train(output, 8, "--collectives aggbox")));
    EXPECT_EQ(result.exit_code, 0) << result.error;
    EXPECT_THAT(result.error,
                AllOf(HasSubstr("collectives: AggBox on e0 for gradients, MPI (Open MPI "),
                      HasSubstr("3 processes on 3 hosts: mpirun started them")));
  }
  const auto one = losses_of("one"), three = losses_of("three");
  ASSERT_EQ(one.size(), three.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], three[i], 1e-3) << "update " << i + 1;
  EXPECT_EQ(parameters_of("three"), parameters_of("again"));
}

TEST_F(TrainingInALab, WhereAggboxCannotBeItIsRefusedWithTheReason) {
  aggbox::Lab::up({.hosts = 2});
  const ShellResult two = run(in_lab(train("none", 2, "--collectives aggbox"), 2));
  EXPECT_NE(two.exit_code, 0);
  EXPECT_THAT(two.error, HasSubstr("ranks 0 and 1 are both on the host 10.77.0.1"));
  EXPECT_THAT(two.error, testing::Not(testing::ContainsRegex("skein: (.|\n)*skein: ")));
  succeed(std::string(AGGBOX_COMMAND) + " lab run --host 2 -- " AGGBOX_COMMAND
                                        " down --interface e0");
  const ShellResult down = run(in_lab(train("none", 2, "--collectives aggbox")));
  EXPECT_NE(down.exit_code, 0);
  EXPECT_THAT(down.error, HasSubstr("rank 1 on aggbox-2: --collectives aggbox is not possible: "
                                    "interface 'e0' is not up for AggBox"));
}

// Rank 0 loses the place that it writes to, while sums are on their way.
TEST_F(TrainingInALab, AnErrorOfOneRankIsToldOnceAndEndsAll) {
  aggbox::Lab::up({.hosts = 3});
  StartedShell shell(in_lab(train("model", 1'000'000,
                                  "--collectives aggbox --checkpoint.every 5 --train.log_every "
                                  "1000 --collective-timeout 60")),
                     folder_.path());
  while (!fs::exists(folder_.path() / "model" / "last") && !shell.ended()) pause();
  succeed("mv model elsewhere && touch model");
  const ShellResult result = shell.wait();
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.error, testing::ContainsRegex("skein: [^\n]*model"));
  EXPECT_THAT(result.error, testing::Not(testing::ContainsRegex("skein: (.|\n)*skein: ")));
}

// The others end within the time-out and name it.
TEST_F(TrainingInALab, AFrozenHostIsNamedAndTrainingGoesOnWithoutIt) {
  aggbox::Lab::up({.hosts = 3});
  StartedShell shell(in_lab(train("model", 1'000'000,
                                  "--collectives aggbox --checkpoint.every 5 --train.log_every "
                                  "1000 --collective-timeout 3")),
                     folder_.path());
  while (!fs::exists(folder_.path() / "model" / "last") && !shell.ended()) pause();
  aggbox::Lab::freeze(3);
  const auto names_it = [&] { return shell.error().find("rank 2") != std::string::npos; };
  for (int i = 0; i < 1500 && !names_it() && !shell.ended(); ++i) pause();
  EXPECT_TRUE(names_it()) << shell.error();
  aggbox::Lab::down();
  EXPECT_NE(shell.wait().exit_code, 0);
  const std::string target = fs::read_symlink(folder_.path() / "model" / "last").filename();
  const int step = std::stoi(target.substr(target.find('-') + 1));
  aggbox::Lab::up({.hosts = 2});
  succeed(in_lab(train("model", step + 3, "--collectives aggbox --checkpoint.every 5")));
}

}  // namespace
}  // namespace skein
