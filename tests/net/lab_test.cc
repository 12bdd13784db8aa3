// Labs: what they can, and what they and `aggbox bench` refuse.
#include "aggbox/aggbox/lab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>

#include "aggbox/aggbox/doctor.h"
#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/lab_mpi.h"
#include "net/command.h"
#include "net/hosts.h"

namespace aggbox {
namespace {

using testing::HasSubstr;

const std::string kCommand = AGGBOX_COMMAND;

struct Mistake {
  const char* arguments;
  int exit_code;
  const char* sentence;
};

TEST(AggboxCommand, MistakesAreToldInASentence) {
  constexpr Mistake kMistakes[] = {
      {"lab up --hosts 1", 1, "aggbox: a lab of 1 hosts is not possible; expected 2 to 64\n"},
      {"lab up --mtu 100", 1,
       "aggbox: a lab with an MTU of 100 bytes is not possible; expected 1500 to 65535\n"},
      {"lab up --rate 10kbit", 1,
       "aggbox: a wire of 10000 bits a second is not possible; expected at least 1000000\n"},
      {"lab freeze --host 1", 1,
       "aggbox: no lab is up; start one with `aggbox lab up --hosts 4`\n"},
      {"up --interface none0", 1,
       "aggbox: interface 'none0' does not exist here; `ip link` lists those that do\n"},
      {"bench", 1,
       "aggbox: the environment has no AGGBOX_INTERFACE; `aggbox lab run -- COMMAND` sets it\n"},
      {"bench --bytes 6", 2,
       "aggbox: --bytes: 6 bytes are no whole number of float32; `aggbox --help` lists what is "
       "possible\n"},
      {"bench --window 3", 2,
       "aggbox: --window: 3 not in {2,4,8,16,32,64,128,256}; `aggbox --help` lists what is "
       "possible\n"},
      {"bench --repeats 0", 2,
       "aggbox: --repeats: Value 0 not in range 1 to 1000000; `aggbox --help` lists what is "
       "possible\n"},
  };
  for (const auto& [arguments, exit_code, sentence] : kMistakes) {
    const Outcome outcome = run_command(kCommand + " " + arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << arguments;
    EXPECT_EQ(outcome.output, sentence) << arguments;
  }
  EXPECT_EQ(Lab::hosts(), 0u);
}

class LabOnThisMachine : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string fault = first_fault(); !fault.empty())
      GTEST_SKIP() << "left out: " << fault;
  }
  void TearDown() override { Lab::down(); }
};

TEST_F(LabOnThisMachine, AWireCanHaveARate) {
  EXPECT_EQ(run_command(kCommand + " lab up --hosts 3 --rate 100mbit").output, "");
  const std::string shown = "rate 100Mbit burst 128Kb";
  EXPECT_THAT(run_command("ip netns exec aggbox-3 tc qdisc show dev e0").output, HasSubstr(shown));
  EXPECT_THAT(run_command("ip netns exec aggbox-switch tc qdisc show dev p3").output,
              HasSubstr(shown));
  EXPECT_EQ(on_hosts(3,
                     [](const GroupOptions& options) {
                       Group group(options);
                       std::vector<std::int32_t> values(100'000, 1);
                       group.all_reduce(std::span(values));
                       if (values != std::vector<std::int32_t>(100'000, 3))
                         throw Error("the sums are wrong");
                     }),
            "");
}

// The others fail within the time that they were given, and name the host's rank.
TEST_F(LabOnThisMachine, AFrozenOrKilledHostIsNamed) {
  const struct {
    const char* fault;
    const char* told;
  } kCases[] = {{"freeze", "rank 0: rank 1 did not answer rank 0 for 1 s"},
                {"kill", "rank 0: rank 1 has left the group"}};
  for (const auto& [fault, told] : kCases) {
    Lab::up({.hosts = 3});
    const SharedArray<std::atomic<int>> rounds(1), failed(1);
    auto failures = std::async(std::launch::async, [&] {
      return on_hosts(3, [&](GroupOptions options) {
        options.timeout = std::chrono::seconds(1);
        Group group(options);
        try {
          for (;; ++rounds.values()[0]) group.barrier();
        } catch (const PeerError&) {
          ++failed.values()[0];
          throw;
        }
      });
    });
    while (rounds.values()[0] < 30) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(run_command(kCommand + " lab " + fault + " --host 2").output,
              "1 processes of host 2\n");
    while (failed.values()[0] < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Lab::kill(2);
    EXPECT_THAT(failures.get(), HasSubstr(told));
  }
}

TEST_F(LabOnThisMachine, AHostThatIsThawedInTimeGoesOn) {
  Lab::up({.hosts = 2});
  const SharedArray<std::atomic<int>> rounds(1), end(1);
  auto failures = std::async(std::launch::async, [&] {
    return on_hosts(2, [&](const GroupOptions& options) {
      Group group(options);
      for (int last = 0; last == 0; ++rounds.values()[0]) {
        last = end.values()[0];
        group.all_reduce(std::span(&last, 1), Reduction::kMax);
      }
    });
  });
  while (rounds.values()[0] < 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(Lab::freeze(2), 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(Lab::thaw(2), 1u);
  end.values()[0] = 1;
  EXPECT_EQ(failures.get(), "");
}

TEST_F(LabOnThisMachine, TheProcessThatRunsMpiCanStartOthersAfterwards) {
  Lab::up({.hosts = 2});
  // The remote shell is the command, which this program is not.
  for (const char* agent : {"OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent"})
    ::setenv(agent, (kCommand + " lab agent").c_str(), 1);
  EXPECT_EQ(run_mpi_in_lab({.arguments = {"true"}}), 0);
  EXPECT_EQ(run_command("true").exit_code, 0);
}

}  // namespace
}  // namespace aggbox
