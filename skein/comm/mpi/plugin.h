// The door between Skein and the library that is built against one MPI: skein_openmpi or
// skein_mpich, loaded when a launcher has started this process.
#pragma once

#include "skein/comm/transport.h"

// Starts MPI, in this thread. The caller owns what it returns. Throws CommunicationError.
extern "C" skein::Transport* skein_start_mpi();
