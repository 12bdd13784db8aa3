#include "skein/comm/launcher.h"

#include <gtest/gtest.h>

#include <map>

namespace skein {
namespace {

std::optional<Launcher> found(const std::map<std::string, std::string>& environment) {
  return find_launcher([&](const char* name) {
    const auto variable = environment.find(name);
    return variable == environment.end() ? nullptr : variable->second.c_str();
  });
}

void expect_launcher(const std::optional<Launcher>& launcher, const std::string& name,
                     const std::string& mpi, int size) {
  ASSERT_TRUE(launcher);
  EXPECT_EQ(launcher->name, name);
  EXPECT_EQ(launcher->mpi, mpi);
  EXPECT_EQ(launcher->size, size);
}

// What each sets, as observed of Open MPI 4.1, MPICH 4.0 and Slurm 22.05.
TEST(Launchers, EachIsKnownByItsVariables) {
  expect_launcher(found({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "1"}}), "mpirun", "Open MPI",
                  4);
  expect_launcher(found({{"PMI_SIZE", "3"}, {"PMI_RANK", "0"}}), "mpirun", "MPICH", 3);
  expect_launcher(found({{"SLURM_STEP_NUM_TASKS", "8"}, {"PMIX_RANK", "5"}}), "srun", "Open MPI",
                  8);
  expect_launcher(found({{"SLURM_STEP_NUM_TASKS", "8"}, {"PMI_SIZE", "8"}, {"PMI_RANK", "5"}}),
                  "srun", "MPICH", 8);
  expect_launcher(found({{"SLURM_STEP_NUM_TASKS", "8"}}), "srun", "", 8);
}

TEST(Launchers, NobodyLaunchedAPlainCommandOrABatchScript) {
  EXPECT_FALSE(found({}));
  EXPECT_FALSE(found({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}));
}

}  // namespace
}  // namespace skein
