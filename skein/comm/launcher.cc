#include "skein/comm/launcher.h"

#include <charconv>
#include <cstring>

namespace skein {
namespace {

int number(const char* text, int otherwise) {
  if (text == nullptr) return otherwise;
  int value = otherwise;
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

}  // namespace

std::optional<Launcher> find_launcher(const std::function<const char*(const char*)>& variable) {
  const auto has = [&](const char* name) { return variable(name) != nullptr; };
  // `srun` in a batch script has these; the script itself has not.
  const int slurm = number(variable("SLURM_STEP_NUM_TASKS"), 0);
  const std::string starter = slurm > 0 ? "srun" : "mpirun";
  if (has("OMPI_COMM_WORLD_SIZE")) {
    return Launcher{.name = starter,
                    .mpi = "Open MPI",
                    .size = number(variable("OMPI_COMM_WORLD_SIZE"), 1),
                    .on_this_host = number(variable("OMPI_COMM_WORLD_LOCAL_SIZE"), 0)};
  }
  if (has("PMI_RANK") && has("PMI_SIZE")) {
    return Launcher{.name = starter,
                    .mpi = "MPICH",
                    .size = number(variable("PMI_SIZE"), 1),
                    .on_this_host = number(variable("MPI_LOCALNRANKS"), 0)};
  }
  if (has("PMIX_RANK") && slurm > 0) {
    return Launcher{.name = starter, .mpi = "Open MPI", .size = slurm};
  }
  if (slurm > 0) return Launcher{.name = starter, .mpi = "", .size = slurm};
  return std::nullopt;
}

}  // namespace skein
