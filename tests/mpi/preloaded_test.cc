// MPI programs with libaggbox_mpi.so before MPI's own library, over the hosts of a lab.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "aggbox/aggbox/dispatcher.h"
#include "aggbox/aggbox/doctor.h"
#include "aggbox/aggbox/lab.h"
#include "net/command.h"

namespace aggbox {
namespace {

class Preloaded : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string fault = first_fault(); !fault.empty())
      GTEST_SKIP() << "left out: " << fault;
  }
  void TearDown() override { Lab::down(); }

  // Runs a program on the lab's hosts; `variables`: "NAME=VALUE NAME=VALUE".
  static Outcome run(const std::string& program, int ranks_per_host,
                     const std::string& variables = "") {
    std::string line = variables + " " + AGGBOX_COMMAND + " lab mpirun --ranks-per-host " +
                       std::to_string(ranks_per_host) + " -- -x LD_PRELOAD=" + AGGBOX_MPI_LIBRARY;
    // Under a sanitizer MPI's own leaks would be reported.
    line += " -x ASAN_OPTIONS=detect_leaks=0 ";
    return run_command(line + program);
  }
};

std::string first_line_with(const std::string& text, const std::string& part) {
  const std::size_t place = text.find(part);
  if (place == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', place) + 1;
  return text.substr(begin, text.find('\n', place) - begin);
}

// Calls of each kind ran in the kernel.
void expect_all_kinds_in_kernel(const Outcome& outcome) {
  const std::string line = first_line_with(outcome.output, "in the kernel:");
  unsigned all_reduce = 0, reduce = 0, broadcast = 0, barrier = 0, left = 0;
  EXPECT_EQ(std::sscanf(line.c_str(),
                        "aggbox: in the kernel: %u MPI_Allreduce, %u MPI_Reduce, %u MPI_Bcast, %u "
                        "MPI_Barrier; left to MPI: %u",
                        &all_reduce, &reduce, &broadcast, &barrier, &left),
            5)
      << outcome.output;
  EXPECT_TRUE(all_reduce && reduce && broadcast && barrier && left) << line;
}

struct Ranks {
  std::uint32_t hosts;
  int per_host;
};

class PreloadedOn : public Preloaded, public testing::WithParamInterface<Ranks> {};
INSTANTIATE_TEST_SUITE_P(Hosts, PreloadedOn,
                         testing::Values(Ranks{2, 1}, Ranks{3, 1}, Ranks{4, 1}, Ranks{2, 2},
                                         Ranks{3, 2}),
                         [](const auto& info) {
                           return std::to_string(info.param.hosts) + "_with_" +
                                  std::to_string(info.param.per_host);
                         });

TEST_P(PreloadedOn, RandomCallsGiveWhatMpiGives) {
  Lab::up({.hosts = GetParam().hosts});
  for (int seed = 1; seed <= 2; ++seed) {
    // Communicators other than the world get their groups soon, so that they are met as well.
    const Outcome outcome =
        run(AGGBOX_MPI_RANDOM + (" " + std::to_string(seed)) + " 150", GetParam().per_host,
            "AGGBOX_REPORT=1 AGGBOX_AFTER=4 AGGBOX_FLOAT=1");
    EXPECT_EQ(outcome.exit_code, 0) << "seed " << seed << "\n" << outcome.output;
    EXPECT_NE(outcome.output.find("150 calls are MPI's"), std::string::npos);
    expect_all_kinds_in_kernel(outcome);
  }
}

TEST_P(PreloadedOn, CornerCasesAreRight) {
  Lab::up({.hosts = GetParam().hosts});
  for (const std::string which : {"send-before-sum", "floats", "barrier"}) {
    const Outcome outcome =
        run(AGGBOX_MPI_CASE + (" " + which), GetParam().per_host, "AGGBOX_FLOAT=1 AGGBOX_REPORT=1");
    EXPECT_EQ(outcome.exit_code, 0) << which << "\n" << outcome.output;
    EXPECT_NE(outcome.output.find("well\n"), std::string::npos) << which;
    EXPECT_NE(outcome.output.find("left to MPI: 0"), std::string::npos) << outcome.output;
  }
}

#ifdef AGGBOX_MPI_FORTRAN
// By way of the entry points of Fortran, of which each interface has its own.
TEST_F(Preloaded, FortranProgramsRunInTheKernel) {
  Lab::up({.hosts = 3});
  for (const std::string interface : {"MPIF_H", "USE_MPI", "USE_MPI_F08"}) {
    const Outcome outcome = run(AGGBOX_MPI_FORTRAN + interface, 1, "AGGBOX_REPORT=1");
    EXPECT_EQ(outcome.exit_code, 0) << interface << "\n" << outcome.output;
    EXPECT_NE(outcome.output.find("well\n"), std::string::npos) << interface;
    EXPECT_NE(outcome.output.find("in the kernel: 3 MPI_Allreduce, 1 MPI_Reduce, 1 MPI_Bcast, 1 "
                                  "MPI_Barrier; left to MPI: 0"),
              std::string::npos)
        << interface << "\n"
        << outcome.output;
  }
}
#endif

TEST_F(Preloaded, ARankMayComeLate) {
  Lab::up({.hosts = 2});
  const Outcome outcome = run(std::string(AGGBOX_MPI_CASE) + " late-rank", 1, "AGGBOX_REPORT=1");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("1 MPI_Bcast, 1 MPI_Barrier"), std::string::npos) << outcome.output;
}

// Floats stay with MPI unless they are asked for.
TEST_F(Preloaded, FloatsHaveToBeAskedFor) {
  Lab::up({.hosts = 2});
  const Outcome outcome = run(std::string(AGGBOX_MPI_CASE) + " floats", 1, "AGGBOX_REPORT=1");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("0 MPI_Allreduce"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("left to MPI: 1"), std::string::npos) << outcome.output;
}

// Where one host is not up, a line says so, and the program runs as it would without.
TEST_F(Preloaded, AHostThatIsNotUpIsNamed) {
  Lab::up({.hosts = 3});
  run_command(std::string(AGGBOX_COMMAND) + " lab run --host 2 -- " AGGBOX_COMMAND
                                            " down --interface e0");
  const Outcome outcome = run(std::string(AGGBOX_MPI_RANDOM) + " 1 30", 1);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(first_line_with(outcome.output, "aggbox:"),
            "aggbox: collectives stay with MPI: host aggbox-2: interface 'e0' is not up for "
            "AggBox; run `aggbox up --interface e0` there");
}

TEST_F(Preloaded, AVariableThatIsNotPossibleIsNamed) {
  Lab::up({.hosts = 2});
  const Outcome outcome = run(std::string(AGGBOX_MPI_RANDOM) + " 1 30", 1, "AGGBOX_FLOAT=perhaps");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(first_line_with(outcome.output, "aggbox:"),
            "aggbox: collectives stay with MPI: AGGBOX_FLOAT=perhaps is not possible; expected 0 "
            "to 1");
}

TEST_F(Preloaded, OneHostNeedsNoNetwork) {
  Lab::up({.hosts = 2});
  const Outcome outcome =
      run("--host 10.77.0.1:2 -np 2 " + (AGGBOX_MPI_RANDOM + std::string(" 1 30")), 1);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(first_line_with(outcome.output, "aggbox:"),
            "aggbox: collectives stay with MPI: all ranks are on one host, where MPI needs no "
            "network");
}

}  // namespace
}  // namespace aggbox
