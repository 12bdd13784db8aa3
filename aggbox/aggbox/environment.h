// What the environment says of a group: its options, as `aggbox lab run` sets them and a job's
// start script may (AGGBOX_INTERFACE, AGGBOX_COORDINATOR, AGGBOX_RANK, AGGBOX_SIZE and, if it
// likes, AGGBOX_PATH, which is kernel or tcp), or the interface alone.
#pragma once

#include <string>

#include "aggbox/aggbox/group.h"

namespace aggbox {

// Throws Error naming the variable that is missing or has no such value.
GroupOptions options_from_environment();

// AGGBOX_INTERFACE, or else the one interface of this host that is up for AggBox. Throws
// UnavailableError where that is none or several, or where AggBox cannot run on it.
std::string usable_interface();

}  // namespace aggbox
