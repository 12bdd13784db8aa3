// A folder that translation can use, and nothing beside it: config.toml, model.safetensors and
// the vocabularies. Every checkpoint is one; so is what averaging writes.
//
// What `skein train --output DIR` writes is not one itself, but holds them:
//
//   DIR/checkpoints/step-00001200/   a checkpoint
//   DIR/last, DIR/best               links to checkpoints
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "skein/train/safetensors.h"
#include "skein/train/training_state.h"

namespace skein {

inline constexpr const char* kParametersFile = "model.safetensors";
inline constexpr const char* kConfigFile = "config.toml";

class ModelFolder {
 public:
  // `folder` is one of these, or the output of training: then its best checkpoint, or the newest
  // one where none was validated. Throws FileError if it is neither, FormatError if it is damaged
  // or a vocabulary is not the one that the model was trained with.
  explicit ModelFolder(const std::filesystem::path& folder);

  // The folder in which the files are.
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path config() const { return path_ / kConfigFile; }
  const SafetensorsFile& parameters() const { return parameters_; }
  // The names of the other files that belong to the model: the vocabularies.
  const std::vector<std::string>& files() const { return files_; }

  // Fills the model's parameters. Throws FormatError as load_tensors does.
  void load(std::span<const NamedTensor> parameters) const;

 private:
  std::filesystem::path path_;
  SafetensorsFile parameters_;
  std::vector<std::string> files_;
};

struct ModelContents {
  std::vector<NamedTensor> parameters = {};
  std::string config = {};                        // TOML
  std::vector<std::filesystem::path> files = {};  // copied under their names
  Metadata metadata = {};                         // of the parameters' file
};

// Into a folder that exists and is not yet a model. Throws FileError.
void write_model_files(const std::filesystem::path& folder, const ModelContents& contents);

struct CheckpointPlace {
  std::filesystem::path path;
  int64_t step = 0;
};

// The complete checkpoints of a training's output, oldest first.
std::vector<CheckpointPlace> list_checkpoints(const std::filesystem::path& training_folder);

// "checkpoints/step-00001200"
std::filesystem::path checkpoint_name(int64_t step);

}  // namespace skein
