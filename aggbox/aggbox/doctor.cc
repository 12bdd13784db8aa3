#include "aggbox/aggbox/doctor.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/magic.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "aggbox/aggbox/descriptor.h"
#include "aggbox/aggbox/dispatcher.h"
#include "aggbox/aggbox/interface.h"

namespace aggbox {
namespace {

using Kind = Finding::Kind;

// bpf_xdp_load_bytes and frames in fragments, on whose presence the programs rely.
constexpr std::pair kOldestKernel(5, 18);

Finding examine_kernel() {
  utsname name = {};
  ::uname(&name);
  std::pair version(0, 0);
  std::sscanf(name.release, "%d.%d", &version.first, &version.second);
  if (version >= kOldestKernel) return {Kind::kGood, fmt::format("kernel {}", name.release)};
  return {Kind::kFault, fmt::format("kernel {} is too old; AggBox needs {}.{} or newer",
                                    name.release, kOldestKernel.first, kOldestKernel.second)};
}

Finding examine_rights(bpf_prog_type type, const char* hook) {
  const std::array<bpf_insn, 2> return_0 = {
      bpf_insn{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
      bpf_insn{.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
  const Descriptor program(
      bpf_prog_load(type, "aggbox_doctor", "GPL", return_0.data(), return_0.size(), nullptr));
  if (program) return {Kind::kGood, fmt::format("programs may be loaded for {}", hook)};
  return {Kind::kFault,
          fmt::format("no program may be loaded for {}: {}; run as root, in a container with "
                      "CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON",
                      hook, std::strerror(errno))};
}

Finding examine_compiler() {
  std::ifstream file("/proc/sys/net/core/bpf_jit_enable");
  int enabled = 0;
  if (file >> enabled && enabled == 0) {
    return {Kind::kAdvice,
            "the kernel interprets its programs, several times as slow; `sysctl -w "
            "net.core.bpf_jit_enable=1`"};
  }
  return {Kind::kGood, "programs are compiled"};
}

Finding examine_file_system() {
  struct statfs status = {};
  if (::statfs("/sys/fs/bpf", &status) == 0 && status.f_type == BPF_FS_MAGIC)
    return {Kind::kGood, "/sys/fs/bpf is mounted"};
  return {Kind::kAdvice, "/sys/fs/bpf is not mounted; `aggbox up` mounts it"};
}

}  // namespace

std::vector<Finding> examine_host() {
  return {examine_kernel(), examine_rights(BPF_PROG_TYPE_XDP, "XDP"),
          examine_rights(BPF_PROG_TYPE_SCHED_CLS, "TC"), examine_compiler(), examine_file_system()};
}

std::vector<Finding> examine_interface(const std::string& name) {
  const Interface interface = find_interface(name);
  std::vector<Finding> findings;
  const std::string driver = driver_of(name);
  findings.push_back(
      {Kind::kGood,
       fmt::format("'{}' has driver {}; `aggbox up` takes {}", name,
                   driver.empty() ? "without a name" : driver,
                   best_hook(name) == Hook::kFrames ? "frames (XDP)" : "super-packets (TC)")});
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request = {};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(socket.get(), SIOCGIFFLAGS, &request) == 0 && !(request.ifr_flags & IFF_UP)) {
    findings.push_back({Kind::kFault, fmt::format("'{0}' is down; `ip link set {0} up`", name)});
  }
  const std::string small_mtu = too_small_mtu(interface);
  findings.push_back(small_mtu.empty() ? Finding{Kind::kGood, fmt::format("MTU {}", interface.mtu)}
                                       : Finding{Kind::kFault, small_mtu});
  findings.push_back(
      DispatcherEntry::is_up(name)
          ? Finding{Kind::kGood, "AggBox is up on it"}
          : Finding{Kind::kAdvice,
                    fmt::format("AggBox is not up on it; `aggbox up --interface {}`", name)});
  return findings;
}

std::string first_fault() {
  for (const Finding& finding : examine_host()) {
    if (finding.kind == Kind::kFault) return finding.text;
  }
  return "";
}

}  // namespace aggbox
