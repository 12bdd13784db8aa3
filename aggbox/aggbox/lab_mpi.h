// Open MPI over the hosts of a lab.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aggbox {

struct LabMpiOptions {
  // What mpirun is given after the hosts: options of its own, and the program with its arguments.
  std::vector<std::string> arguments = {};
  std::uint32_t ranks_per_host = 1;
};

// Runs mpirun on host 1 and returns its exit code. Its processes see a process table, host names
// and a /dev/shm of their own, and all of them end with this process, however that ends. Each finds
// AGGBOX_INTERFACE in its environment. Throws Error where no lab is up, UnavailableError where the
// system refuses.
int run_mpi_in_lab(const LabMpiOptions& options);

// What that mpirun calls as it would call ssh: runs a command line on the host of an address.
// Returns only if it cannot: throws Error.
[[noreturn]] void run_as_remote_shell(const std::string& address,
                                      const std::vector<std::string>& command_line);

}  // namespace aggbox
