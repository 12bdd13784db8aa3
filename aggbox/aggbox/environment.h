// A group's options from the environment that `aggbox lab run` sets and a job's start script may:
// AGGBOX_INTERFACE, AGGBOX_COORDINATOR, AGGBOX_RANK, AGGBOX_SIZE.
#pragma once

#include "aggbox/aggbox/group.h"

namespace aggbox {

// Throws Error naming the variable that is missing or no number.
GroupOptions options_from_environment();

}  // namespace aggbox
