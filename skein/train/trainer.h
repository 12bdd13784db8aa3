// Trains a model on prepared data: the loop of updates, validations and checkpoints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
TrainingSummary train(TrainOptions& options, const TrainingPlaces& places,
                      const std::function<bool()>& stop_requested);

}  // namespace skein
