#include "skein/train/checkpoint.h"

#include <fmt/format.h>

#include "skein/base/checksum.h"
#include "skein/base/error.h"

namespace skein {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kStepKey = "step";
// Metadata of the parameters' file: the checksum of `state.json`.
constexpr std::string_view kStateKey = "skein.state";

TrainingState checked_state(const ModelFolder& model) {
  const fs::path path = model.path() / kStateFile;
  const std::string text = read_file(path);
  const auto checksum = model.parameters().metadata().find(std::string(kStateKey));
  if (checksum == model.parameters().metadata().end() || checksum->second != crc32_text(text)) {
    throw FormatError(fmt::format(
        "{}: this is not the state that {} was saved with; it was altered, use another checkpoint",
        path.string(), kParametersFile));
  }
  return training_state_from_json(text, path.string());
}

// The file's update must be the checkpoint's: files of two checkpoints do not belong together.
void require_step(const SafetensorsFile& file, const fs::path& path, int64_t step) {
  const auto found = file.metadata().find(std::string(kStepKey));
  if (found != file.metadata().end() && found->second == std::to_string(step)) return;
  throw FormatError(fmt::format(
      "{}: this file is not of update {}, as its checkpoint is; it comes from another one, use "
      "another checkpoint",
      path.string(), step));
}

}  // namespace

void write_checkpoint(const fs::path& folder, CheckpointContents contents) {
  const Metadata step = {{std::string(kStepKey), std::to_string(contents.state.step)}};
  const std::string state = to_json(contents.state);
  contents.model.metadata.insert(step.begin(), step.end());
  contents.model.metadata[std::string(kStateKey)] = crc32_text(state);
  FolderWriter writer(folder);
  write_model_files(writer.path(), contents.model);
  if (!contents.parameters.empty()) {
    write_safetensors(writer.path() / kTrainingParametersFile, contents.parameters, step);
  }
  write_safetensors(writer.path() / kOptimizerFile, contents.optimizer, step);
  write_file(writer.path() / kStateFile, state);
  writer.commit();
}

Checkpoint::Checkpoint(const fs::path& folder) : model_(folder), state_(checked_state(model_)) {
  require_step(model_.parameters(), model_.path() / kParametersFile, state_.step);
}

const NamedNumbers& Checkpoint::numbers(const std::string& owner) const {
  const auto found = state_.numbers.find(owner);
  if (found == state_.numbers.end()) {
    throw FormatError(
        fmt::format("{}: there are no numbers of the {}; it was saved with other settings, so "
                    "resume with those",
                    (model_.path() / kStateFile).string(), owner));
  }
  return found->second;
}

void Checkpoint::load_parameters(std::span<const NamedTensor> targets) const {
  const fs::path apart = model_.path() / kTrainingParametersFile;
  if (!fs::exists(apart)) return model_.load(targets);
  const SafetensorsFile file(apart);
  require_step(file, apart, state_.step);
  load_tensors(file, targets, "parameters");
}

void Checkpoint::load_optimizer(std::span<const NamedTensor> targets) const {
  const fs::path path = model_.path() / kOptimizerFile;
  const SafetensorsFile file(path);
  require_step(file, path, state_.step);
  load_tensors(file, targets, "optimiser's state");
}

}  // namespace skein
