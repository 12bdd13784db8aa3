// The small state of schedules and optimisers, as a checkpoint stores it: a number under each name.
// Doubles, so that what is restored is the same to the bit.
#pragma once

#include <cmath>
#include <cstdint>
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

// The same for what counts something. Throws FormatError, too, unless it is whole and 0 or more.
inline int64_t count_of(const NamedNumbers& numbers, const std::string& name,
                        const std::string& owner) {
  const double value = number_of(numbers, name, owner);
  constexpr double kLargest = 9007199254740992;  // 2^53: doubles are exact up to here
  if (value >= 0 && value <= kLargest && value == std::floor(value)) {
    return static_cast<int64_t>(value);
  }
  throw FormatError("the saved state of the " + owner + " has '" + name +
                    "' = " + std::to_string(value) + ", which is no count; use another checkpoint");
}

}  // namespace skein
