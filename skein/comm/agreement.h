// What ranks find out together before they begin: whether all could prepare, and are alike.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "skein/comm/communicator.h"

namespace skein {

// Runs `prepare`, which may take its time but calls no collective, on every rank. If it throws
// somewhere, the first such rank throws the same, beginning with its name unless all say the same,
// and every other EndedByAnotherRank: one of them tells the user.
void together(Communicator& communicator, const std::function<void()>& prepare);

struct Trait {
  std::string name;  // "optimizer.lr"
  std::string value;
};

// Throws UsageError on rank 0, naming for every other rank each trait whose value is not rank 0's,
// and EndedByAnotherRank on the others.
void require_alike(Communicator& communicator, const std::vector<Trait>& traits);

// The version of Skein and the checksum of its library.
std::vector<Trait> program_traits();

// Runs `work`, which calls collectives. What it throws is told to the other ranks before it is
// thrown on: theirs then throw EndedByAnotherRank.
void leave_on_error(Communicator& communicator, const std::function<void()>& work);

}  // namespace skein
