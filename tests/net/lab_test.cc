// `aggbox lab` and `aggbox bench`: what they refuse.
#include "aggbox/aggbox/lab.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "aggbox/aggbox/doctor.h"
#include "aggbox/aggbox/lab_mpi.h"
#include "net/command.h"

namespace aggbox {
namespace {

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
      {"up --interface none0", 1,
       "aggbox: interface 'none0' does not exist here; `ip link` lists those that do\n"},
      {"bench", 1,
       "aggbox: the environment has no AGGBOX_INTERFACE; `aggbox lab run -- COMMAND` sets it\n"},
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

TEST(Lab, TheProcessThatRunsMpiCanStartOthersAfterwards) {
  if (const std::string fault = first_fault(); !fault.empty())
    GTEST_SKIP() << "left out: " << fault;
  Lab::up({.hosts = 2});
  // The remote shell is the command, which this program is not.
  for (const char* agent : {"OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent"})
    ::setenv(agent, (kCommand + " lab agent").c_str(), 1);
  EXPECT_EQ(run_mpi_in_lab({.arguments = {"true"}}), 0);
  EXPECT_EQ(run_command("true").exit_code, 0);
  Lab::down();
}

}  // namespace
}  // namespace aggbox
