#include "apps/skein/communicator_flags.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "skein/base/log.h"
#include "skein/base/parallel.h"

namespace skein::command {

void add_communicator_flags(CLI::App& command, CommunicatorOptions& options) {
  command.add_option(
      "--collectives", options.collectives,
      "How processes that mpirun or srun started work together: auto, mpi, aggbox (sums of "
      "floats in the kernel), or none (each by itself)");
  command
      .add_option("--collective-timeout", options.timeout,
                  "Seconds after which a process that does not come is given up (default: 300)")
      ->check(CLI::Range(1.0, 1e6));
}

std::unique_ptr<Communicator> start_ranks(const CommunicatorOptions& options) {
  std::unique_ptr<Communicator> communicator = start_communicator(options);
  if (communicator->rank() > 0) mute_log();
  return communicator;
}

void share_cores(const Communicator& communicator, const CLI::App& command) {
  if (communicator.size() == 1 || command.get_option("--threads")->count() > 0) return;
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return;
  const auto& hosts = communicator.hosts();
  const auto ranks =
      std::count(hosts.begin(), hosts.end(), hosts[static_cast<size_t>(communicator.rank())]);
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  // threads(): the cores that the launcher bound this process to.
  set_threads(std::clamp(cores / static_cast<int>(ranks), 1, threads()));
}

}  // namespace skein::command
