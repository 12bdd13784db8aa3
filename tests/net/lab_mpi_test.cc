// `aggbox lab mpirun`, as a user runs it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "aggbox/aggbox/doctor.h"
#include "aggbox/aggbox/lab.h"
#include "net/command.h"

namespace aggbox {
namespace {

const std::string kCommand = AGGBOX_COMMAND;

// Without what Open MPI says when a process of its own was quicker than another.
std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.find("plm:rsh: Warning: setpgid") == line.npos) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// How many processes run `sleep` with this argument.
int sleepers(const std::string& seconds) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::string line;
    std::getline(file, line, '\0');
    if (line != "sleep") continue;
    std::getline(file, line, '\0');
    count += line == seconds ? 1 : 0;
  }
  return count;
}

// Waits, at most a minute, until so many run. Returns how many do.
int wait_for_sleepers(const std::string& seconds, int wanted) {
  int count = 0;
  for (int tries = 0; tries < 600; ++tries) {
    count = sleepers(seconds);
    if (count == wanted) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return count;
}

class LabMpi : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string fault = first_fault(); !fault.empty())
      GTEST_SKIP() << "left out: " << fault;
    if (run_command("command -v mpirun").exit_code != 0)
      GTEST_SKIP() << "left out: mpirun is not installed";
    Lab::up({.hosts = 3});
  }
  void TearDown() override { Lab::down(); }
};

TEST_F(LabMpi, EveryHostRunsItsRanks) {
  const Outcome outcome =
      run_command(kCommand +
                  " lab mpirun --ranks-per-host 2 -- sh -c 'echo $(hostname) on "
                  "$AGGBOX_INTERFACE'");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(sorted_lines(outcome.output),
            (std::vector<std::string>{"aggbox-1 on e0", "aggbox-1 on e0", "aggbox-2 on e0",
                                      "aggbox-2 on e0", "aggbox-3 on e0", "aggbox-3 on e0"}));
}

TEST_F(LabMpi, OptionsOfMpirunMayComeBeforeTheProgram) {
  const Outcome outcome =
      run_command(kCommand + " lab mpirun -- -np 1 -x ANSWER=42 sh -c 'echo $ANSWER'");
  EXPECT_EQ(sorted_lines(outcome.output), std::vector<std::string>{"42"});
}

TEST_F(LabMpi, ItsExitCodeIsMpiruns) {
  EXPECT_EQ(run_command(kCommand + " lab mpirun -- sh -c 'exit 7'").exit_code, 7);
}

// Also when it is killed and can do nothing itself.
TEST_F(LabMpi, NothingOutlivesTheCommand) {
  const std::string seconds = std::to_string(100000 + ::getpid());
  for (const int signal : {SIGTERM, SIGKILL}) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl(kCommand.c_str(), "aggbox", "lab", "mpirun", "--", "sleep", seconds.c_str(), nullptr);
      ::_exit(127);
    }
    EXPECT_EQ(wait_for_sleepers(seconds, 3), 3);
    ::kill(child, signal);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(wait_for_sleepers(seconds, 0), 0);
  }
}

TEST_F(LabMpi, MistakesAreToldInASentence) {
  EXPECT_EQ(run_command(kCommand + " lab mpirun --ranks-per-host 0 -- true").output,
            "aggbox: 0 ranks a host are not possible; expected 1 to 64\n");
  EXPECT_EQ(run_command(kCommand + " lab agent 10.77.0.4 true").output,
            "aggbox: '10.77.0.4' is no host of the lab; expected 10.77.0.1 to 10.77.0.3\n");
  Lab::down();
  const Outcome outcome = run_command(kCommand + " lab mpirun -- true");
  EXPECT_EQ(outcome.output, "aggbox: no lab is up; start one with `aggbox lab up --hosts 4`\n");
  EXPECT_EQ(outcome.exit_code, 1);
}

}  // namespace
}  // namespace aggbox
