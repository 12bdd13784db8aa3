// A checkpoint: a model folder (model_folder.h) with all that training needs to go on to the bit.
//
//   model.safetensors       the parameters, or their moving average where one is kept
//   parameters.safetensors  the parameters themselves, where a moving average is kept
//   optimizer.safetensors   the optimiser's state
//   state.json              step, score, and the numbers of optimiser, schedule, cursor, ...
//   config.toml, vocabularies
//
// The folder appears whole under its name or not at all (FolderWriter).
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "skein/train/model_folder.h"

namespace skein {

inline constexpr const char* kStateFile = "state.json";
inline constexpr const char* kOptimizerFile = "optimizer.safetensors";
inline constexpr const char* kTrainingParametersFile = "parameters.safetensors";

struct CheckpointContents {
  ModelContents model = {};
  std::vector<NamedTensor> parameters = {};  // where they are not the model's; else empty
  std::vector<NamedTensor> optimizer = {};
  TrainingState state = {};
};

// Replaces what is there. Throws FileError (a full disk, say), and then leaves it as it was.
void write_checkpoint(const std::filesystem::path& folder, CheckpointContents contents);

class Checkpoint {
 public:
  // Throws FileError if a file is missing, FormatError if one is damaged or of another checkpoint.
  explicit Checkpoint(const std::filesystem::path& folder);

  const ModelFolder& model() const { return model_; }
  const TrainingState& state() const { return state_; }
  // Throws FormatError if `state.json` has no numbers of that owner.
  const NamedNumbers& numbers(const std::string& owner) const;

  // Fill the targets. Throw FormatError as load_tensors does.
  void load_parameters(std::span<const NamedTensor> targets) const;
  void load_optimizer(std::span<const NamedTensor> targets) const;

 private:
  ModelFolder model_;
  TrainingState state_;
};

}  // namespace skein
