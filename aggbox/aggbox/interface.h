// A network interface of this host.
#pragma once

#include <string>

#include "aggbox/aggbox/descriptor.h"
#include "aggbox/aggbox/membership.h"

namespace aggbox {

struct Interface {
  std::string name;
  int index = 0;
  int mtu = 0;         // bytes
  Member member = {};  // its addresses
};

// Below it the largest packet of the protocol would be cut in pieces.
inline constexpr int kLeastMtu = 1500;

// A sentence where the interface's MTU is smaller than that; empty where it is not.
std::string too_small_mtu(const Interface& interface);

// Throws UnavailableError where there is none of that name, or it has no IPv4 address.
Interface find_interface(const std::string& name);

// The interface takes packets to the job's multicast MAC (bpf/wire.h) as long as the result is
// open. Throws UnavailableError where it cannot.
Descriptor join_multicast(const Interface& interface, std::uint32_t job);

// As `ethtool -i` names it; empty where it has no name.
std::string driver_of(const std::string& interface);

}  // namespace aggbox
