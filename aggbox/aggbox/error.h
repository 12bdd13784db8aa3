// The exceptions of AggBox. Each carries the one sentence that the user reads.
#pragma once

#include <stdexcept>

namespace aggbox {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the machine does not have or allow: rights, kernel version, an interface that is not up.
class UnavailableError : public Error {
 public:
  using Error::Error;
};

// A rank that has left, died or did not answer in time; the message names it.
class PeerError : public Error {
 public:
  using Error::Error;
};

}  // namespace aggbox
