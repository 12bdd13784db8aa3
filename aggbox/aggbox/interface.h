// A network interface of this host.
#pragma once

#include <string>

#include "aggbox/aggbox/membership.h"

namespace aggbox {

struct Interface {
  std::string name;
  int index = 0;
  Member member = {};  // its addresses
};

// Throws UnavailableError where there is none of that name, or it has no IPv4 address.
Interface find_interface(const std::string& name);

// As `ethtool -i` names it; empty where it has no name.
std::string driver_of(const std::string& interface);

}  // namespace aggbox
