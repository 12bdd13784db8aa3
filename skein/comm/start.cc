#include "skein/comm/start.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "skein/base/log.h"
#include "skein/base/nearest.h"
#include "skein/base/process.h"
#include "skein/comm/aggbox/plugin.h"
#include "skein/comm/agreement.h"
#include "skein/comm/launcher.h"
#include "skein/comm/message_communicator.h"
#include "skein/comm/single_process.h"

namespace skein {
namespace {

namespace fs = std::filesystem;

// The library that is built against that MPI lies beside this one.
fs::path plugin_of(const std::string& mpi) {
  return own_library().parent_path() /
         (mpi == "MPICH" ? "libskein_mpich.so" : "libskein_openmpi.so");
}

[[noreturn]] void refuse(const Launcher& launcher, const std::string& reason) {
  throw UsageError(fmt::format(
      "{} started {} processes, but {}, or give --collectives none and every process its own "
      "--output",
      launcher.name, launcher.size, reason));
}

MessageCommunicator::TransportFactory load_mpi(const Launcher& launcher) {
  if (launcher.mpi.empty()) {
    refuse(launcher, "without MPI; start them by srun --mpi=pmix (Open MPI) or --mpi=pmi2 (MPICH)");
  }
  const fs::path path = plugin_of(launcher.mpi);
  if (!fs::exists(path)) {
    refuse(launcher, fmt::format("this skein was built without {}, whose processes they are; build "
                                 "it where that is installed",
                                 launcher.mpi));
  }
  // MPI looks for its own parts among the names that all libraries see.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    refuse(launcher,
           fmt::format("{} cannot be loaded ({}); install it", launcher.mpi, ::dlerror()));
  }
  auto* start = reinterpret_cast<Transport* (*)()>(::dlsym(library, "skein_start_mpi"));
  if (start == nullptr) {
    refuse(launcher, fmt::format("{} is not Skein's; install Skein anew", path.string()));
  }
  return [start] { return std::unique_ptr<Transport>(start()); };
}

// All ranks do this together, so that one without the library does not leave the others waiting.
std::unique_ptr<Communicator> with_aggbox(std::unique_ptr<Communicator> messages, double timeout) {
  decltype(&skein_start_aggbox) start = nullptr;
  together(*messages, [&] {
    const fs::path path = own_library().parent_path() / "libskein_aggbox.so";
    void* library = fs::exists(path) ? ::dlopen(path.c_str(), RTLD_NOW) : nullptr;
    if (library != nullptr) {
      start = reinterpret_cast<decltype(start)>(::dlsym(library, "skein_start_aggbox"));
    }
    if (start != nullptr) return;
    throw UsageError(fmt::format(
        "--collectives aggbox is not possible: {}; or leave it to MPI by --collectives mpi",
        fs::exists(path) ? fmt::format("{} cannot be loaded ({})", path.string(), ::dlerror())
                         : "this skein was built without AggBox, which needs libbpf, clang and "
                           "bpftool"));
  });
  return std::unique_ptr<Communicator>(start(&messages, timeout));
}

std::unique_ptr<Communicator> alone(const std::string& line) {
  if (!line.empty()) log_info("collectives: none, " + line);
  return std::make_unique<SingleProcess>();
}

}  // namespace

std::unique_ptr<Communicator> start_communicator(const CommunicatorOptions& options) {
  constexpr std::array<std::string_view, 4> kChoices = {"auto", "mpi", "aggbox", "none"};
  require_name("choice of --collectives", options.collectives, kChoices);
  const std::optional<Launcher> launcher =
      find_launcher([](const char* name) { return std::getenv(name); });
  if (options.collectives == "none") return alone("as --collectives says");
  if (!launcher) {
    if (options.collectives == "auto") return alone("");
    throw UsageError(fmt::format(
        "--collectives {}, but no launcher started this process; start it by mpirun -np "
        "N skein ..., or leave the flag out",
        options.collectives));
  }
  if (launcher->size == 1) return alone(launcher->name + " started one process");
  std::unique_ptr<Communicator> communicator =
      std::make_unique<MessageCommunicator>(load_mpi(*launcher), options.timeout);
  if (options.collectives == "aggbox") {
    communicator = with_aggbox(std::move(communicator), options.timeout);
  }
  if (communicator->rank() > 0) return communicator;
  const std::set<std::string> hosts(communicator->hosts().begin(), communicator->hosts().end());
  log_info(fmt::format("collectives: {}, {} processes on {} host{}: {} started them",
                       communicator->description(), communicator->size(), hosts.size(),
                       hosts.size() == 1 ? "" : "s", launcher->name));
  return communicator;
}

}  // namespace skein
