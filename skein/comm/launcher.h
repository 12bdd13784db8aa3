// Whether a launcher (mpirun, srun) started this process as one of several, and whose MPI it
// serves.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace skein {

struct Launcher {
  std::string name;      // "mpirun"
  std::string mpi;       // "Open MPI" or "MPICH": whose processes it starts; empty: none's
  int size = 1;          // processes
  int on_this_host = 0;  // of them; 0: it does not say
};

// `variable` gives an environment variable's value, or null.
std::optional<Launcher> find_launcher(const std::function<const char*(const char*)>& variable);

}  // namespace skein
