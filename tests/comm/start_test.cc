#include "skein/comm/start.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "error_of.h"

namespace skein {
namespace {

// Sets an environment variable for the length of a test.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Environment() { ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

std::string error_of_start(const std::string& collectives) {
  return error_of<UsageError>([&] { start_communicator({.collectives = collectives}); });
}

TEST(Starts, AProcessThatNobodyLaunchedIsAlone) {
  EXPECT_EQ(start_communicator({})->size(), 1);
  EXPECT_EQ(start_communicator({.collectives = "none"})->size(), 1);
}

TEST(Starts, WhatCannotBeIsRefusedInASentence) {
  EXPECT_EQ(error_of_start("nccl"),
            "there is no choice of --collectives 'nccl' (known: auto mpi aggbox none)");
  EXPECT_EQ(error_of_start("mpi"),
            "--collectives mpi, but no launcher started this process; start it by mpirun -np N "
            "skein ..., or leave the flag out");
}

TEST(Starts, OneLaunchedProcessNeedsNoMpi) {
  const Environment size("OMPI_COMM_WORLD_SIZE", "1");
  EXPECT_EQ(start_communicator({})->size(), 1);
}

TEST(Starts, ProcessesThatCannotFindEachOtherAreRefused) {
  const Environment tasks("SLURM_STEP_NUM_TASKS", "4");
  EXPECT_EQ(error_of_start("auto"),
            "srun started 4 processes, but without MPI; start them by srun --mpi=pmix (Open MPI) "
            "or --mpi=pmi2 (MPICH), or give --collectives none and every process its own --output");
  EXPECT_EQ(start_communicator({.collectives = "none"})->size(), 1);
}

}  // namespace
}  // namespace skein
