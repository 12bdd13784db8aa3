// The door between Skein and skein_aggbox, the library that is built with AggBox and loaded where
// its collectives are asked for.
#pragma once

#include <memory>

#include "skein/comm/communicator.h"

// Joins all ranks of `messages` to a group, in whose hosts' kernels sums of floats run from then
// on; all else stays with `messages`. `timeout`, in seconds, is that of every collective. The
// caller owns what it returns. On every rank: throws UsageError, or EndedByAnotherRank, where a
// host cannot.
extern "C" skein::Communicator* skein_start_aggbox(std::unique_ptr<skein::Communicator>* messages,
                                                   double timeout);
