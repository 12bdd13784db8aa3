// The communicator of this process, as its launcher and its user want it.
#pragma once

#include <memory>
#include <string>

#include "skein/comm/communicator.h"

namespace skein {

struct CommunicatorOptions {
  // "auto": MPI where a launcher started several processes; "mpi": that or an error; "aggbox": the
  // same, with sums of floats in the hosts' kernels, or an error; "none": this process is alone,
  // whoever started it.
  std::string collectives = "auto";
  double timeout = 300;  // of every collective, in seconds
};

// Tells, once for all ranks, what was chosen and why, except for a process that nobody launched.
// Loads and starts MPI only where it is chosen. Throws UsageError for an unknown choice or one that
// cannot be met, and as MessageCommunicator does.
std::unique_ptr<Communicator> start_communicator(const CommunicatorOptions& options);

}  // namespace skein
