// Hosts on one machine: network namespaces, each with one interface e0, joined by a bridge in a
// namespace of its own. Nothing outside them is touched.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aggbox/aggbox/dispatcher.h"

namespace aggbox {

struct LabOptions {
  std::uint32_t hosts = 4;    // 2 to 64
  int mtu = 1500;             // bytes
  bool super_packets = true;  // false: a host cuts what it sends into frames, as a wire without
                              // segmentation offload does
  Hook hook = Hook::kSuperPackets;
  std::uint64_t rate = 0;  // bits a second of each host's wire, in each direction; 0: what the
                           // processors make
};

class Lab {
 public:
  // Builds the hosts 10.77.0.1 to 10.77.0.N, up for AggBox. What a half-built lab left is taken
  // down first; if this fails, all is.
  static void up(const LabOptions& options);

  // Ends what still runs in the hosts and removes them. Returns whether there were any.
  static bool down();

  // How many hosts are up.
  static std::uint32_t hosts();

  // Runs a command on host `host` (from 1), or on every host at once, and waits. Each finds
  // AGGBOX_INTERFACE, AGGBOX_COORDINATOR, AGGBOX_RANK and AGGBOX_SIZE in its environment. Returns
  // the first exit code that is not 0. The commands end with this process.
  static int run(const std::vector<std::string>& command, std::optional<std::uint32_t> host);

  // What happens to a host: its processes stand still, go on, or end at once. Return how many
  // that were; throw Error where there is no such host.
  static std::size_t freeze(std::uint32_t host);
  static std::size_t thaw(std::uint32_t host);
  static std::size_t kill(std::uint32_t host);

  // Moves the calling thread into a host's network.
  static void enter(std::uint32_t host);

  // Does something in the network of the bridge, whose ports are p1 to pN.
  static void at_switch(const std::function<void()>& work);
};

}  // namespace aggbox
