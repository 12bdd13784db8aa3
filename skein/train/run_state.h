// What a training run puts into a checkpoint and takes back out, so that it goes on to the bit, and
// what its rank 0 gives the others for the same end.
#pragma once

#include <cstdint>

#include "skein/comm/communicator.h"
#include "skein/data/batch_iterator.h"
#include "skein/models/model.h"
#include "skein/optim/moving_average.h"
#include "skein/optim/optimizer.h"
#include "skein/optim/schedule.h"
#include "skein/parallel/sharded_optimizer.h"
#include "skein/train/checkpoint.h"
#include "skein/train/validation_history.h"

namespace skein {

// The parts that training changes.
struct RunParts {
  Model& model;
  Optimizer& optimizer;
  ShardedOptimizer* sharded = nullptr;  // that optimiser, where ranks share its state
  Schedule& schedule;
  MovingAverage* average = nullptr;  // null: none is kept
  ValidationHistory& validations;
};

// After `updates` updates, `cursor` being the place of the next batch. Configuration, vocabularies
// and score are the caller's to add.
CheckpointContents contents_of(const RunParts& parts, int64_t updates, const Cursor& cursor);

// These throw FormatError if the checkpoint lacks something or belongs to other parts.
void restore(const RunParts& parts, const Checkpoint& checkpoint);
Cursor cursor_of(const Checkpoint& checkpoint);

// Where a run begins or goes on.
struct StartingPoint {
  int64_t updates = 0;  // made
  Cursor cursor = {};
};

// On every rank: parts and starting point become those of rank 0, but for an average, which rank 0
// alone keeps. All have the same model and settings. Throws CommunicationError.
void share(Communicator& communicator, const RunParts& parts, StartingPoint& start);

}  // namespace skein
