// Trains a model on prepared data: the loop of updates, validations and checkpoints, by one process
// or by several that share the batches of every update.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "skein/comm/communicator.h"
#include "skein/train/options.h"
#include "skein/train/validation.h"

namespace skein {

struct TrainingPlaces {
  // From `skein prepare`, one or more with the same vocabularies. The first is the one that is
  // validated on, and that names the languages.
  std::vector<std::filesystem::path> data;
  std::filesystem::path
      output;  // config.toml, log, checkpoints; goes on where it stopped if there are any
};

struct TrainingSummary {
  int64_t updates = 0;
  int64_t epochs = 0;
  bool interrupted = false;
  std::string
      reason;  // the bound that ended it: "10 epochs (train.max_epochs)"; none if interrupted
  std::optional<ValidationResult> last_validation;
};

// Runs until a bound of options.loop or the patience is reached, or `stop_requested` says so after
// an update; a checkpoint is there in every case. Throws UsageError for settings that do not fit
// each other, the data or the checkpoint that training goes on from; NonFiniteError; FileError when
// something cannot be written.
//
// Several ranks do this together, each on its share of every update's batches, and rank 0 alone
// validates, tells and writes, so that places.output need not exist elsewhere. What they make does
// not depend on how many they are, but for rounding and dropout. Throws UsageError, too, if their
// programs, settings or data differ; CommunicationError; and EndedByAnotherRank where another rank
// throws what is to be told.
TrainingSummary train(TrainOptions& options, const TrainingPlaces& places,
                      Communicator& communicator, const std::function<bool()>& stop_requested);
// By this process alone.
TrainingSummary train(TrainOptions& options, const TrainingPlaces& places,
                      const std::function<bool()>& stop_requested);

}  // namespace skein
