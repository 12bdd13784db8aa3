#include "apps/skein/model_choice.h"

#include <fmt/format.h>

#include <filesystem>

#include "skein/base/error.h"
#include "skein/train/model_folder.h"

namespace skein::command {

void add_model_options(CLI::App& command, ModelChoice& choice) {
  command.add_option("--checkpoint", choice.checkpoint,
                     "Which checkpoint of a training: best, last, or its folder (default: best, "
                     "where there is one)");
  command.add_option("--precision", choice.precision, "Type of products and activations")
      ->check(CLI::IsMember({"auto", "bf16", "f32"}))
      ->capture_default_str();
}

void require_one_each(const std::vector<std::string>& folders, const ModelChoice& choice) {
  const std::string& name = choice.checkpoint;
  if (folders.size() < 2 || name.empty() || name == "best" || name == "last") return;
  throw UsageError(
      fmt::format("--checkpoint {} is one model, and {} are to work together; expected best or "
                  "last, or give the checkpoints' folders as --model",
                  name, folders.size()));
}

LoadedModel load(const std::string& folder, const ModelChoice& choice) {
  std::filesystem::path path = folder;
  if (choice.checkpoint == "best" || choice.checkpoint == "last") {
    path /= choice.checkpoint;
    if (std::filesystem::exists(folder) && !std::filesystem::exists(path)) {
      throw FileError(fmt::format(
          "{} has no {} checkpoint{}; leave out --checkpoint, or name a checkpoint's folder",
          folder, choice.checkpoint,
          choice.checkpoint == "best" ? " (its training has not validated yet)" : ""));
    }
  } else if (!choice.checkpoint.empty()) {
    if (!std::filesystem::exists(choice.checkpoint)) {
      throw FileError(
          fmt::format("there is no checkpoint {}; expected best, last or a folder, such as {}",
                      choice.checkpoint, (path / checkpoint_name(1200)).string()));
    }
    path = choice.checkpoint;
  }
  return load_model(path, choice.precision);
}

bool same_vocabulary(const Tokenizer& a, const Tokenizer& b) {
  return &a == &b || a.serialize() == b.serialize();
}

}  // namespace skein::command
