#include "aggbox/aggbox/lab.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "aggbox/aggbox/descriptor.h"
#include "aggbox/aggbox/dispatcher.h"
#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/interface.h"

namespace aggbox {
namespace {

constexpr const char* kSwitch = "aggbox-switch";
constexpr std::uint32_t kMostHosts = 64;
constexpr int kPort = 7077;
constexpr int kMostMtu = 65535;                  // of veth
constexpr std::uint64_t kLeastRate = 1'000'000;  // bits a second

std::string name_of(std::uint32_t host) { return fmt::format("aggbox-{}", host); }

std::string file_of(const std::string& name) { return "/run/netns/" + name; }

// Lines of the commands that a tool of iproute2 knows.
void batch(const std::string& tool, const std::string& lines) {
  if (lines.empty()) return;
  std::FILE* pipe = ::popen((tool + " -batch - 2>&1 >/dev/null").c_str(), "w");
  if (!pipe) throw UnavailableError(fmt::format("`{}` cannot be run; install iproute2", tool));
  std::fwrite(lines.data(), 1, lines.size(), pipe);
  if (::pclose(pipe) != 0) {
    throw UnavailableError(
        fmt::format("`{}` could not build the lab, see above; it takes root", tool));
  }
}
void ip(const std::string& lines) { batch("ip", lines); }
void tc(const std::string& lines) { batch("tc", lines); }

void enter_namespace(const std::string& name) {
  const Descriptor file(::open(file_of(name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::setns(file.get(), CLONE_NEWNET) != 0) {
    throw UnavailableError(
        fmt::format("host namespace '{}' cannot be entered: {}", name, std::strerror(errno)));
  }
}

// Work in another namespace, on a thread of its own: this one stays where it is.
template <typename Work>
void in_namespace(const std::string& name, Work work) {
  std::exception_ptr failure;
  std::thread([&] {
    try {
      enter_namespace(name);
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

void ethtool(const std::string& interface, void* command) {
  ifreq request = {};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = static_cast<char*>(command);
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (::ioctl(socket.get(), SIOCETHTOOL, &request) != 0) {
    throw UnavailableError(
        fmt::format("an offload of '{}' cannot be set: {}", interface, std::strerror(errno)));
  }
}

void receive_in_groups(const std::string& interface) {
  ethtool_value value = {.cmd = ETHTOOL_SGRO, .data = 1};
  ethtool(interface, &value);
}

// The interface takes frames only: its host cuts what it sends, as late as it can.
void take_frames_only(const std::string& interface) {
  alignas(ethtool_sset_info) std::array<char, sizeof(ethtool_sset_info) + sizeof(std::uint32_t)>
      set_memory = {};
  auto* sets = reinterpret_cast<ethtool_sset_info*>(set_memory.data());
  sets->cmd = ETHTOOL_GSSET_INFO;
  sets->sset_mask = 1ULL << ETH_SS_FEATURES;
  ethtool(interface, sets);
  const std::uint32_t count = sets->data[0];

  std::vector<std::uint64_t> memory(
      (sizeof(ethtool_gstrings) + std::size_t{count} * ETH_GSTRING_LEN) / 8 + 1);
  auto* names = reinterpret_cast<ethtool_gstrings*>(memory.data());
  names->cmd = ETHTOOL_GSTRINGS;
  names->string_set = ETH_SS_FEATURES;
  names->len = count;
  ethtool(interface, names);

  const std::uint32_t words = (count + 31) / 32;
  std::vector<std::uint32_t> storage(
      (sizeof(ethtool_sfeatures) + words * sizeof(ethtool_set_features_block)) / 4);
  auto* features = reinterpret_cast<ethtool_sfeatures*>(storage.data());
  features->cmd = ETHTOOL_SFEATURES;
  features->size = words;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string name = reinterpret_cast<const char*>(names->data) + i * ETH_GSTRING_LEN;
    if (name.starts_with("tx-tcp") || name == "tx-udp-segmentation")
      features->features[i / 32].valid |= 1U << i % 32;
  }
  ethtool(interface, features);
}

// A bucket of tokens before an interface; it holds two super-packets.
std::string shaped(const std::string& interface, std::uint64_t rate) {
  return fmt::format("qdisc add dev {} root tbf rate {}bit burst 131072 latency 100ms\n", interface,
                     rate);
}

void build(const LabOptions& options) {
  ip(fmt::format("netns add {}\n", kSwitch));
  std::string lines =
      fmt::format("link add br0 type bridge\nlink set br0 mtu {} up\n", options.mtu);
  for (std::uint32_t host = 1; host <= options.hosts; ++host)
    ip(fmt::format("netns add {}\n", name_of(host)));
  for (std::uint32_t host = 1; host <= options.hosts; ++host) {
    lines += fmt::format(
        "link add p{0} mtu {1} type veth peer name e0 mtu {1} address 02:a6:00:00:00:{0:02x} netns "
        "{2}\n",
        host, options.mtu, name_of(host));
    lines += fmt::format("link set p{} master br0 up\n", host);
  }
  in_namespace(kSwitch, [&] {
    ip(lines);
    std::string shapers;
    for (std::uint32_t host = 1; host <= options.hosts && options.rate > 0; ++host)
      shapers += shaped(fmt::format("p{}", host), options.rate);
    tc(shapers);
    // Its default drops frames whose checksum is partial, and costs a quarter of the rate.
    std::ofstream("/proc/sys/net/bridge/bridge-nf-call-iptables") << "0";
    // A frame that a program redirects vanishes unless the other end polls, which this makes it do.
    for (std::uint32_t host = 1; host <= options.hosts && options.hook == Hook::kFrames; ++host)
      receive_in_groups(fmt::format("p{}", host));
  });
  for (std::uint32_t host = 1; host <= options.hosts; ++host) {
    in_namespace(name_of(host), [&] {
      ip(fmt::format("link set lo up\naddress add 10.77.0.{}/24 dev e0\nlink set e0 up\n", host));
      if (options.rate > 0) tc(shaped("e0", options.rate));
      if (!options.super_packets) take_frames_only("e0");
      attach_dispatcher("e0", options.hook);
    });
  }
}

// Processes whose network is this namespace.
std::vector<pid_t> processes_in(const std::string& name) {
  struct stat wanted = {};
  if (::stat(file_of(name).c_str(), &wanted) != 0) return {};
  std::error_code error;
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const int process = std::atoi(entry.path().filename().c_str());
    struct stat status = {};
    if (process > 0 && process != ::getpid() &&
        ::stat((entry.path() / "ns/net").c_str(), &status) == 0 && status.st_ino == wanted.st_ino) {
      found.push_back(process);
    }
  }
  return found;
}

// How many hosts there are. Throws Error where none is, or where `host` is not one of them.
std::uint32_t require_host(std::optional<std::uint32_t> host) {
  const std::uint32_t all = Lab::hosts();
  if (all == 0) throw Error("no lab is up; start one with `aggbox lab up --hosts 4`");
  if (host && (*host < 1 || *host > all))
    throw Error(fmt::format("host {} does not exist; expected 1 to {}", *host, all));
  return all;
}

std::size_t signal_host(std::uint32_t host, int signal) {
  require_host(host);
  std::size_t reached = 0;  // one may have ended meanwhile
  for (const pid_t process : processes_in(name_of(host)))
    reached += ::kill(process, signal) == 0 ? 1 : 0;
  return reached;
}

[[noreturn]] void become(const std::vector<std::string>& command, std::uint32_t host,
                         std::uint32_t hosts) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    Lab::enter(host);
  } catch (const Error& error) {
    fmt::print(stderr, "aggbox: {}\n", error.what());
    ::_exit(1);
  }
  ::setenv("AGGBOX_INTERFACE", "e0", 1);
  ::setenv("AGGBOX_COORDINATOR", fmt::format("10.77.0.1:{}", kPort).c_str(), 1);
  ::setenv("AGGBOX_RANK", std::to_string(host - 1).c_str(), 1);
  ::setenv("AGGBOX_SIZE", std::to_string(hosts).c_str(), 1);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  fmt::print(stderr, "aggbox: '{}' cannot be run: {}\n", command[0], std::strerror(errno));
  ::_exit(127);
}

}  // namespace

void Lab::up(const LabOptions& options) {
  if (options.hosts < 2 || options.hosts > kMostHosts) {
    throw Error(fmt::format("a lab of {} hosts is not possible; expected 2 to {}", options.hosts,
                            kMostHosts));
  }
  if (options.mtu < kLeastMtu || options.mtu > kMostMtu) {
    throw Error(fmt::format("a lab with an MTU of {} bytes is not possible; expected {} to {}",
                            options.mtu, kLeastMtu, kMostMtu));
  }
  if (options.rate > 0 && options.rate < kLeastRate) {
    throw Error(fmt::format("a wire of {} bits a second is not possible; expected at least {}",
                            options.rate, kLeastRate));
  }
  down();
  try {
    build(options);
  } catch (...) {
    down();
    throw;
  }
}

bool Lab::down() {
  bool any = false;
  for (std::uint32_t host = 1; host <= kMostHosts; ++host) {
    const std::string name = name_of(host);
    if (!std::filesystem::exists(file_of(name))) continue;
    any = true;
    for (const pid_t process : processes_in(name)) ::kill(process, SIGKILL);
    try {
      in_namespace(name, [] { detach_dispatcher("e0"); });
    } catch (const Error&) {  // half built: there was nothing to enter
    }
    ip(fmt::format("netns delete {}\n", name));
  }
  if (std::filesystem::exists(file_of(kSwitch))) {
    any = true;
    ip(fmt::format("netns delete {}\n", kSwitch));
  }
  return any;
}

std::uint32_t Lab::hosts() {
  std::uint32_t hosts = 0;
  while (hosts < kMostHosts && std::filesystem::exists(file_of(name_of(hosts + 1)))) ++hosts;
  return hosts;
}

int Lab::run(const std::vector<std::string>& command, std::optional<std::uint32_t> host) {
  const std::uint32_t all = require_host(host);
  std::vector<pid_t> children;
  for (std::uint32_t i = host.value_or(1); i <= host.value_or(all); ++i) {
    const pid_t child = ::fork();
    if (child == 0) become(command, i, all);
    if (child < 0)
      throw UnavailableError(fmt::format("no process can be started: {}", std::strerror(errno)));
    children.push_back(child);
  }
  int result = 0;
  for (const pid_t child : children) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (result == 0) result = code;
  }
  return result;
}

std::size_t Lab::freeze(std::uint32_t host) { return signal_host(host, SIGSTOP); }
std::size_t Lab::thaw(std::uint32_t host) { return signal_host(host, SIGCONT); }
std::size_t Lab::kill(std::uint32_t host) { return signal_host(host, SIGKILL); }

void Lab::at_switch(const std::function<void()>& work) { in_namespace(kSwitch, work); }

void Lab::enter(std::uint32_t host) { enter_namespace(name_of(host)); }

}  // namespace aggbox
