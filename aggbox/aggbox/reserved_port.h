// A free TCP port of this host.
#pragma once

#include <cstdint>

#include "aggbox/aggbox/descriptor.h"

namespace aggbox {

// Kept free as long as this lives, save for one who listens there with SO_REUSEADDR, as rank 0 of a
// group does.
class ReservedPort {
 public:
  // address: IPv4, network order. Throws UnavailableError where there is none.
  explicit ReservedPort(std::uint32_t address);

  std::uint16_t number() const { return number_; }

 private:
  Descriptor socket_;
  std::uint16_t number_ = 0;
};

}  // namespace aggbox
