// What the environment asks of the library. Rank 0's environment counts for the whole program.
#pragma once

#include <cstdint>

namespace aggbox::mpi {

struct Settings {
  bool float_sums =
      false;            // AGGBOX_FLOAT=1: also sums of float32, whose rounding differs from MPI's
  bool report = false;  // AGGBOX_REPORT=1: a line at MPI_Finalize that counts calls
  // AGGBOX_AFTER: a communicator other than MPI_COMM_WORLD gets a group of its own at that
  // collective call of the kinds that the kernel can do, since a group takes about half a second.
  std::uint32_t first_call_in_kernel = 50;
  // AGGBOX_TIMEOUT, seconds: how long a call waits without any progress. By default a week: ranks
  // may come as late to a collective as they like.
  std::uint32_t timeout_seconds = 7 * 24 * 3600;
};

// Throws Error naming a variable whose value is not possible.
Settings settings_from_environment();

}  // namespace aggbox::mpi
