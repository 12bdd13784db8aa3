#include "aggbox/aggbox/dispatcher.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <net/if.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <type_traits>

#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/interface.h"
#include "aggbox/aggbox/silent_libbpf.h"
#include "aggbox/bpf/wire.h"
#include "skeletons/dispatch.skel.h"

namespace aggbox {
namespace {

constexpr const char* kBpfFileSystem = "/sys/fs/bpf";

// Interfaces of different network namespaces may have one name.
std::string name_here(const std::string& interface) {
  struct stat status = {};
  ::stat("/proc/thread-self/ns/net", &status);
  return fmt::format("{}-{}", status.st_ino, interface);
}

std::string pin_folder(const std::string& interface) {
  return fmt::format("{}/aggbox/{}", kBpfFileSystem, name_here(interface));
}

std::string lock_folder(const std::string& interface) {
  return fmt::format("/run/aggbox/{}", name_here(interface));
}

void mount_bpf_file_system() {
  struct statfs status = {};
  if (::statfs(kBpfFileSystem, &status) == 0 && status.f_type == BPF_FS_MAGIC) return;
  if (::mount("bpf", kBpfFileSystem, "bpf", 0, "mode=0700") != 0) {
    throw UnavailableError(fmt::format("{} cannot be mounted: {}; AggBox needs root",
                                       kBpfFileSystem, std::strerror(errno)));
  }
}

const char* table_name(Hook hook) { return hook == Hook::kFrames ? "/frames" : "/super_packets"; }

template <typename Object>
void pin(Object* object, const std::string& path) {
  int result = 0;
  if constexpr (std::is_same_v<Object, bpf_link>) {
    result = bpf_link__pin(object, path.c_str());
  } else {
    result = bpf_map__pin(object, path.c_str());
  }
  if (result != 0)
    throw UnavailableError(fmt::format("{} cannot be pinned: {}", path, std::strerror(errno)));
}

void attach_to_xdp(const bpf_program* program, const Interface& interface,
                   const std::string& folder) {
  const std::unique_ptr<bpf_link, decltype(&bpf_link__destroy)> link(
      bpf_program__attach_xdp(program, interface.index), bpf_link__destroy);
  if (!link) {
    throw UnavailableError(
        fmt::format("no XDP program can be attached to '{}': {}; `ip link show {}` tells whether "
                    "another has it",
                    interface.name, std::strerror(errno), interface.name));
  }
  pin(link.get(), folder + "/link");
}

bpf_tc_hook tc_hook(int interface, bpf_tc_attach_point point) {
  bpf_tc_hook hook = {};
  hook.sz = sizeof hook;
  hook.ifindex = interface;
  hook.attach_point = point;
  return hook;
}

// Of our filter among those of the interface.
bpf_tc_opts tc_place() {
  bpf_tc_opts place = {};
  place.sz = sizeof place;
  place.handle = 1;
  place.priority = AGGBOX_PORT;
  return place;
}

void attach_to_tc(const bpf_program* program, const Interface& interface,
                  bpf_tc_attach_point point) {
  bpf_tc_hook hook = tc_hook(interface.index, point);
  bpf_tc_opts place = tc_place();
  place.prog_fd = bpf_program__fd(program);
  int result = bpf_tc_hook_create(&hook);
  if (result == 0 || result == -EEXIST) result = bpf_tc_attach(&hook, &place);
  if (result != 0) {
    throw UnavailableError(fmt::format("no TC program can be attached to '{}': {}", interface.name,
                                       std::strerror(-result)));
  }
}

bool place_taken(const bpf_tc_hook& hook, bpf_tc_opts place) {
  return bpf_tc_query(&hook, &place) == 0;
}

void enter_into(const Descriptor& table, std::uint32_t index, int program) {
  if (bpf_map_update_elem(table.get(), &index, &program, BPF_ANY) != 0) {
    throw UnavailableError(fmt::format(
        "a program cannot be entered into the dispatcher's table: {}", std::strerror(errno)));
  }
}

// The filters alone: the queueing discipline that they hang on may be another's.
void detach_from_tc(const std::string& interface) {
  const SilentLibbpf silent;
  const unsigned index = ::if_nametoindex(interface.c_str());
  if (index == 0) return;
  for (const auto point : {BPF_TC_INGRESS, BPF_TC_EGRESS}) {
    bpf_tc_hook hook = tc_hook(static_cast<int>(index), point);
    const bpf_tc_opts place = tc_place();
    if (place_taken(hook, place)) bpf_tc_detach(&hook, &place);
  }
}

}  // namespace

Hook best_hook(const std::string& interface) {
  return driver_of(interface) == "veth" ? Hook::kSuperPackets : Hook::kFrames;
}

void attach_dispatcher(const std::string& name, Hook hook) {
  const SilentLibbpf silent;
  const Interface interface = find_interface(name);
  mount_bpf_file_system();
  const std::string folder = pin_folder(name);
  if (std::filesystem::exists(folder)) return;

  const bool frames = hook == Hook::kFrames;
  const std::unique_ptr<aggbox_dispatch, decltype(&aggbox_dispatch__destroy)> programs(
      aggbox_dispatch__open(), aggbox_dispatch__destroy);
  if (programs) {
    bpf_program__set_autoload(programs->progs.aggbox_dispatch_frame, frames);
    bpf_program__set_autoload(programs->progs.aggbox_dispatch_super_packet, !frames);
  }
  if (!programs || aggbox_dispatch__load(programs.get()) != 0) {
    throw UnavailableError(fmt::format(
        "the kernel refused the dispatching program: {}; `aggbox doctor` says what is missing",
        std::strerror(errno)));
  }
  std::filesystem::create_directories(folder);
  try {
    pin(programs->maps.aggbox_jobs, folder + table_name(hook));
    if (frames) {
      attach_to_xdp(programs->progs.aggbox_dispatch_frame, interface, folder);
    } else {
      attach_to_tc(programs->progs.aggbox_dispatch_super_packet, interface, BPF_TC_INGRESS);
    }
    pin(programs->maps.aggbox_requests, folder + "/requests");
    attach_to_tc(programs->progs.aggbox_dispatch_request, interface, BPF_TC_EGRESS);
  } catch (...) {
    detach_dispatcher(name);
    throw;
  }
}

bool detach_dispatcher(const std::string& interface) {
  std::filesystem::remove_all(lock_folder(interface));
  if (std::filesystem::exists(pin_folder(interface))) detach_from_tc(interface);
  return std::filesystem::remove_all(pin_folder(interface)) > 0;
}

std::vector<std::string> interfaces_up() {
  const std::string all = fmt::format("{}/aggbox", kBpfFileSystem), here = name_here("");
  std::vector<std::string> interfaces;
  std::error_code error;
  const std::filesystem::directory_iterator entries(all, error);
  if (error && error != std::errc::no_such_file_or_directory) {
    throw UnavailableError(
        fmt::format("{} cannot be read: {}; it takes root", all, error.message()));
  }
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename();
    if (name.starts_with(here)) interfaces.push_back(name.substr(here.size()));
  }
  std::sort(interfaces.begin(), interfaces.end());
  return interfaces;
}

DispatcherTable::DispatcherTable(const std::string& interface)
    : requests_(bpf_obj_get((pin_folder(interface) + "/requests").c_str())) {
  for (const Hook hook : {Hook::kFrames, Hook::kSuperPackets}) {
    const std::string pinned = pin_folder(interface) + table_name(hook);
    if (!std::filesystem::exists(pinned)) continue;
    hook_ = hook;
    jobs_ = Descriptor(bpf_obj_get(pinned.c_str()));
  }
  if (!jobs_ || !requests_) {
    throw UnavailableError(fmt::format(
        "interface '{}' is not up for AggBox; run `aggbox up --interface {}` on this host",
        interface, interface));
  }
}

std::vector<Descriptor> DispatcherTable::programs(aggbox_type type) const {
  std::vector<Descriptor> programs;
  for (std::uint32_t place = 0; place < DispatcherEntry::kEntries; ++place) {
    const std::uint32_t index = place * AGGBOX_TYPES + type;
    std::uint32_t id = 0;
    if (bpf_map_lookup_elem(jobs_.get(), &index, &id) != 0) continue;
    Descriptor program(bpf_prog_get_fd_by_id(id));
    if (program) programs.push_back(std::move(program));
  }
  return programs;
}

DispatcherEntry::DispatcherEntry(const std::string& interface, std::uint32_t job)
    : place_(job % kEntries), table_(interface) {
  const std::string folder = lock_folder(interface);
  std::filesystem::create_directories(folder);
  Descriptor lock(::open(fmt::format("{}/{}", folder, job % kEntries).c_str(),
                         O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) lock_ = std::move(lock);
}

bool DispatcherEntry::is_up(const std::string& interface) {
  return std::filesystem::exists(pin_folder(interface) + "/requests");
}

DispatcherEntry::~DispatcherEntry() {
  if (!claimed()) return;
  for (std::uint32_t i = 0; i < AGGBOX_TYPES; ++i) {
    const std::uint32_t index = place_ * AGGBOX_TYPES + i;
    bpf_map_delete_elem(table_.jobs().get(), &index);
  }
  for (std::uint32_t i = 0; i < AGGBOX_REQUESTS; ++i) {
    const std::uint32_t index = place_ * AGGBOX_REQUESTS + i;
    bpf_map_delete_elem(table_.requests().get(), &index);
  }
}

void DispatcherEntry::enter(aggbox_type type, int program) {
  enter_into(table_.jobs(), place_ * AGGBOX_TYPES + type, program);
}

void DispatcherEntry::enter(aggbox_request request, int program) {
  enter_into(table_.requests(), place_ * AGGBOX_REQUESTS + request, program);
}

}  // namespace aggbox
