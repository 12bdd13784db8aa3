// May this machine run AggBox, and how well?
#pragma once

#include <string>
#include <vector>

namespace aggbox {

struct Finding {
  enum class Kind {
    kGood,
    kAdvice,  // it runs, and would run better
    kFault,   // it does not run
  };
  Kind kind = Kind::kGood;
  std::string text;  // what was found and, unless it is good, what to change
};

// Rights, kernel, file system.
std::vector<Finding> examine_host();

// Driver, addresses, MTU, offloads. Throws UnavailableError where there is no such interface.
std::vector<Finding> examine_interface(const std::string& interface);

// The first fault of this host; empty where AggBox can run.
std::string first_fault();

}  // namespace aggbox
