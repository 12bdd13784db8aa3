#include "aggbox/aggbox/lab_mpi.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/lab.h"

namespace aggbox {
namespace {

constexpr const char* kAddresses = "10.77.0.";
constexpr std::uint32_t kMostRanksPerHost = 64;
// In the job's own /dev/shm: a name without spaces, which mpirun would take for separators.
constexpr const char* kAgent = "/dev/shm/aggbox";

// Of Open MPI 4 and, under other names, of 5; what the user has set stays.
constexpr std::array kSettings = {
    std::pair("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    std::pair("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    std::pair("PRTE_ALLOW_RUN_AS_ROOT", "1"),
    std::pair("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    std::pair("OMPI_MCA_plm_rsh_agent", "/dev/shm/aggbox lab agent"),
    std::pair("PRTE_MCA_plm_ssh_agent", "/dev/shm/aggbox lab agent"),
    std::pair("OMPI_MCA_plm_rsh_no_tree_spawn", "1"),
    std::pair("PRTE_MCA_plm_ssh_no_tree_spawn", "1"),
    std::pair("OMPI_MCA_oob_tcp_if_include", "e0"),
    std::pair("PRTE_MCA_prte_if_include", "e0"),
    std::pair("OMPI_MCA_btl_tcp_if_include", "e0"),
    std::pair("OMPI_MCA_pml", "ob1"),
    std::pair("OMPI_MCA_btl", "self,vader,tcp"),
    // Hosts of a lab share the processors, so there are more ranks than those.
    std::pair("OMPI_MCA_hwloc_base_binding_policy", "none"),
    std::pair("PRTE_MCA_hwloc_default_binding_policy", "none"),
    std::pair("OMPI_MCA_mpi_yield_when_idle", "1"),
    std::pair("OMPI_MCA_orte_tmpdir_base", "/dev/shm"),
    std::pair("PRTE_MCA_prte_tmpdir_base", "/dev/shm"),
    std::pair("AGGBOX_INTERFACE", "e0"),
};

void require(int result, const char* what) {
  if (result != 0)
    throw UnavailableError(fmt::format("{}: {}; it takes root", what, std::strerror(errno)));
}

void name_host(std::uint32_t host) {
  const std::string name = fmt::format("aggbox-{}", host);
  require(::unshare(CLONE_NEWUTS), "a host cannot have a name of its own");
  require(::sethostname(name.c_str(), name.size()), "a host cannot be named");
}

[[noreturn]] void execute(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  throw UnavailableError(
      fmt::format("'{}' cannot be run: {}; openmpi-bin has it", command[0], std::strerror(errno)));
}

// File systems of which the job has its own. What is mounted or unmounted outside comes in.
void separate_file_systems(const std::string& own_path) {
  require(::unshare(CLONE_NEWNS), "the job cannot have mounts of its own");
  require(::mount("none", "/", nullptr, MS_SLAVE | MS_REC, nullptr), "mounts cannot be separated");
  require(::mount("proc", "/proc", "proc", 0, nullptr), "/proc cannot be mounted");
  require(::mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777"), "/dev/shm cannot be mounted");
  require(::symlink(own_path.c_str(), kAgent), "the lab's remote shell cannot be made");
}

[[noreturn]] void become_mpirun(const LabMpiOptions& options, std::uint32_t hosts) {
  for (const auto& [name, value] : kSettings) ::setenv(name, value, 0);
  std::string slots;
  for (std::uint32_t host = 1; host <= hosts; ++host) {
    slots +=
        fmt::format("{}{}{}:{}", host == 1 ? "" : ",", kAddresses, host, options.ranks_per_host);
  }
  // Debian's name of it where several MPIs are installed.
  const bool has_own_name = std::filesystem::exists("/usr/bin/mpirun.openmpi");
  std::vector<std::string> command = {has_own_name ? "mpirun.openmpi" : "mpirun", "-np",
                                      std::to_string(hosts * options.ranks_per_host), "--host",
                                      slots};
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  execute(command);
}

// Runs `work`, which does not return, in a child process, and tells what it threw.
template <typename Work>
pid_t in_child(Work work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    work();
  } catch (const std::exception& error) {
    fmt::print(stderr, "aggbox: {}\n", error.what());
  }
  std::fflush(nullptr);
  ::_exit(1);
}

int status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// As process 1 of the job, with whose end the kernel ends all others.
[[noreturn]] void be_first_process(const LabMpiOptions& options, std::uint32_t hosts,
                                   const std::string& own_path) {
  separate_file_systems(own_path);
  Lab::enter(1);
  name_host(1);
  const pid_t mpirun = in_child([&] { become_mpirun(options, hosts); });
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended == mpirun) ::_exit(exit_code_of(status));
    if (ended < 0 && errno != EINTR) ::_exit(1);
  }
}

}  // namespace

int run_mpi_in_lab(const LabMpiOptions& options) {
  const std::uint32_t hosts = Lab::hosts();
  if (hosts == 0) throw Error("no lab is up; start one with `aggbox lab up --hosts 4`");
  if (options.ranks_per_host < 1 || options.ranks_per_host > kMostRanksPerHost) {
    throw Error(fmt::format("{} ranks a host are not possible; expected 1 to {}",
                            options.ranks_per_host, kMostRanksPerHost));
  }
  const std::string own_path = std::filesystem::read_symlink("/proc/self/exe");
  // In a child: a process that has unshared its table has no more children but in that one.
  return exit_code_of(status_of(in_child([&] {
    require(::unshare(CLONE_NEWPID), "the job cannot have a process table of its own");
    const pid_t first = in_child([&] { be_first_process(options, hosts, own_path); });
    ::_exit(exit_code_of(status_of(first)));
  })));
}

void run_as_remote_shell(const std::string& address, const std::vector<std::string>& command_line) {
  const std::string prefix = kAddresses;
  std::uint32_t host = 0;
  const char* end = address.data() + address.size();
  if (!address.starts_with(prefix) ||
      std::from_chars(address.data() + prefix.size(), end, host).ptr != end || host < 1 ||
      host > Lab::hosts()) {
    throw Error(fmt::format("'{}' is no host of the lab; expected {}1 to {}{}", address, prefix,
                            prefix, Lab::hosts()));
  }
  Lab::enter(host);
  name_host(host);
  std::string line;
  for (const std::string& word : command_line) line += word + " ";
  execute({"/bin/sh", "-c", line});
}

}  // namespace aggbox
