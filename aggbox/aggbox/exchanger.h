// Does exchanges: in the kernels of the hosts (Pipeline), or over TCP (TcpPath).
#pragma once

#include "aggbox/aggbox/exchange.h"

namespace aggbox {

class Exchanger {
 public:
  virtual ~Exchanger() = default;

  // Every rank runs exchanges of the same shape in the same order. Throws PeerError.
  virtual void run(Exchange& exchange) = 0;
};

}  // namespace aggbox
