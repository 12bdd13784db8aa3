// The flags of commands that several processes may share, and what such a process does at its
// start.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "skein/comm/start.h"

namespace skein::command {

// --collectives and --collective-timeout.
void add_communicator_flags(CLI::App& command, CommunicatorOptions& options);

// As start_communicator(). Then rank 0 alone logs.
std::unique_ptr<Communicator> start_ranks(const CommunicatorOptions& options);

// Ranks of one machine share its cores, unless the user said how many threads each has.
void share_cores(const Communicator& communicator, const CLI::App& command);

}  // namespace skein::command
