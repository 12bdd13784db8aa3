// The small state of schedules and optimisers, as a checkpoint stores it: a number under each name.
// Doubles, so that what is restored is the same to the bit.
#pragma once

#include <map>
#include <string>

#include "skein/base/error.h"

namespace skein {

using NamedNumbers = std::map<std::string, double>;

// Throws FormatError if the checkpoint has no such number; `owner` is what wants it ("schedule").
inline double number_of(const NamedNumbers& numbers, const std::string& name,
                        const std::string& owner) {
  const auto found = numbers.find(name);
  if (found == numbers.end()) {
    throw FormatError("the saved state of the " + owner + " has no '" + name +
                      "'; it was saved with another " + owner +
                      ", so resume with that one or start without the state");
  }
  return found->second;
}

}  // namespace skein
