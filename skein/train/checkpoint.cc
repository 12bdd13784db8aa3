#include "skein/train/checkpoint.h"

#include <fmt/format.h>

#include "skein/base/error.h"

namespace skein {
namespace fs = std::filesystem;
void write_checkpoint(const fs::path& folder, CheckpointContents contents) {
  const Metadata step = {{"step", std::to_string(contents.state.step)}};
  contents.model.metadata.insert(step.begin(), step.end());
  FolderWriter writer(folder);
  write_model_files(writer.path(), contents.model);
  if (!contents.parameters.empty()) {
    write_safetensors(writer.path() / kTrainingParametersFile, contents.parameters, step);
  }
  write_safetensors(writer.path() / kOptimizerFile, contents.optimizer, step);
  write_file(writer.path() / kStateFile, to_json(contents.state));
  writer.commit();
}

Checkpoint::Checkpoint(const fs::path& folder)
    : model_(folder),
      state_(training_state_from_json(read_file(model_.path() / kStateFile),
                                      (model_.path() / kStateFile).string())) {}

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
  if (fs::exists(apart)) {
    load_tensors(SafetensorsFile(apart), targets, "parameters");
  } else {
    model_.load(targets);
  }
}

void Checkpoint::load_optimizer(std::span<const NamedTensor> targets) const {
  load_tensors(SafetensorsFile(model_.path() / kOptimizerFile), targets, "optimiser's state");
}

}  // namespace skein
