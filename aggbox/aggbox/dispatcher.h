// The dispatching program on an interface: `aggbox up` attaches it, and jobs enter their programs
// into its table. The table is pinned under /sys/fs/bpf/aggbox; both stay until `aggbox down`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "aggbox/aggbox/descriptor.h"
#include "aggbox/bpf/wire.h"

namespace aggbox {

// Where the kernel hands packets over.
enum class Hook {
  kFrames,        // XDP: as the driver received them
  kSuperPackets,  // TC: up to 44 frames at once, where the driver delivers them so, as veth does
};

// What costs less with the interface's driver.
Hook best_hook(const std::string& interface);

// Attaches the program to an interface of the present network namespace; nothing happens where it
// is attached already. Throws UnavailableError where rights are missing or another XDP program has
// the interface.
void attach_dispatcher(const std::string& interface, Hook hook);

// Takes it away again, with what crashed jobs left in its table. Returns whether there was one.
bool detach_dispatcher(const std::string& interface);

// The interfaces of the present network namespace that it is attached to. Throws UnavailableError
// where rights are missing.
std::vector<std::string> interfaces_up();

// The table of an interface, to look at.
class DispatcherTable {
 public:
  // Throws UnavailableError where the interface is not up for AggBox.
  explicit DispatcherTable(const std::string& interface);

  Hook hook() const { return hook_; }
  const Descriptor& jobs() const { return jobs_; }
  const Descriptor& requests() const { return requests_; }
  // That of every job for packets of `type`.
  std::vector<Descriptor> programs(aggbox_type type) const;

 private:
  Hook hook_ = Hook::kFrames;
  Descriptor jobs_;
  Descriptor requests_;
};

// One job's entries in the table, from construction to destruction; also a killed process loses its
// claim.
class DispatcherEntry {
 public:
  static constexpr std::uint32_t kEntries = 64;

  // Throws UnavailableError where the interface is not up for AggBox. `claimed()` is false where
  // another job has the place of this number.
  DispatcherEntry(const std::string& interface, std::uint32_t job);
  ~DispatcherEntry();
  DispatcherEntry(const DispatcherEntry&) = delete;
  DispatcherEntry& operator=(const DispatcherEntry&) = delete;

  static bool is_up(const std::string& interface);
  Hook hook() const { return table_.hook(); }
  bool claimed() const { return static_cast<bool>(lock_); }
  // Packets of `type` (bpf/wire.h) go to the program from now on.
  void enter(aggbox_type type, int program);
  // Requests of this host's processes go to it.
  void enter(aggbox_request request, int program);

 private:
  std::uint32_t place_;
  DispatcherTable table_;
  Descriptor lock_;
};

}  // namespace aggbox
