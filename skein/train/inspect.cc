#include "skein/train/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "skein/base/error.h"
#include "skein/base/progress.h"
#include "skein/data/data_folder.h"
#include "skein/data/data_set.h"
#include "skein/text/tokenizers.h"
#include "skein/train/checkpoint.h"

namespace skein {
namespace fs = std::filesystem;
namespace {

constexpr const char* kDataInfo = "dataset.toml";

std::string indented(const std::string& text) {
  std::string result;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) result += "  " + text.substr(begin, end - begin);
    result += "\n";
    begin = end + 1;
  }
  return result;
}

// "12 tensors, 1.32M values, checksum right"
std::string summary(const SafetensorsFile& file) {
  file.require_right_checksum();
  int64_t values = 0;
  for (const SafetensorsEntry& entry : file.entries()) values += entry.shape.elements();
  return fmt::format("{} tensors, {} values, {}", file.entries().size(),
                     count_text(static_cast<double>(values)),
                     file.checksum() == ChecksumVerdict::kRight ? "checksum right" : "no checksum");
}

std::string table(const SafetensorsFile& file) {
  size_t width = 0;
  for (const SafetensorsEntry& entry : file.entries()) width = std::max(width, entry.name.size());
  std::string text;
  for (const SafetensorsEntry& entry : file.entries()) {
    text += fmt::format("  {:<{}}  {:<4}  {}\n", entry.name, width, name_of(entry.type),
                        entry.shape.to_string());
  }
  return text;
}

std::string inspect_tensors(const fs::path& path) {
  const SafetensorsFile file(path);
  std::string text = fmt::format("{}: {}\n", path.string(), summary(file));
  for (const auto& [name, value] : file.metadata()) text += fmt::format("  {}: {}\n", name, value);
  return text + table(file);
}

std::string score_text(const std::optional<Score>& score) {
  return score ? fmt::format("{} {:.6g}", score->metric, score->value) : "not validated";
}

std::string inspect_state(const Checkpoint& checkpoint) {
  const TrainingState& state = checkpoint.state();
  std::string text = fmt::format("step {}, {}\n", state.step, score_text(state.score));
  for (const auto& [owner, numbers] : state.numbers) {
    text += fmt::format("{}:\n", owner);
    for (const auto& [name, value] : numbers) text += fmt::format("  {}: {}\n", name, value);
  }
  for (const char* name : {kTrainingParametersFile, kOptimizerFile}) {
    const fs::path path = checkpoint.model().path() / name;
    if (fs::exists(path)) {
      text += fmt::format("{}: {}\n", name, summary(SafetensorsFile(path)));
    }
  }
  return text;
}

std::string inspect_model(const ModelFolder& model) {
  std::string text = fmt::format("{}:\n", model.path().string());
  if (fs::exists(model.path() / kStateFile)) text += inspect_state(Checkpoint(model.path()));
  text += fmt::format("{}: {}\n{}", kParametersFile, summary(model.parameters()),
                      table(model.parameters()));
  for (const std::string& file : model.files()) {
    text += fmt::format("{}: {} bytes, as at training\n", file, fs::file_size(model.path() / file));
  }
  return text + fmt::format("{}:\n{}", kConfigFile, indented(read_file(model.config())));
}

std::string inspect_training(const fs::path& folder) {
  std::string text = fmt::format("{}: checkpoints of a training\n", folder.string());
  for (const CheckpointPlace& place : list_checkpoints(folder)) {
    text += fmt::format("  step {}, {}\n", place.step,
                        score_text(Checkpoint(place.path).state().score));
  }
  return text + "\nThe one that translates is " + inspect_model(ModelFolder(folder));
}

std::string inspect_data_set(const fs::path& path) {
  const DataSet data(path);
  data.verify();
  if (data.monolingual()) {
    return fmt::format("{}: {} sentences, {} tokens of {} kinds, checksum right\n", path.string(),
                       data.size(), data.target_tokens(), data.target_vocabulary_size());
  }
  return fmt::format(
      "{}: {} pairs, {} source tokens of {} kinds, {} target tokens of {} kinds, checksum right\n",
      path.string(), data.size(), data.source_tokens(), data.source_vocabulary_size(),
      data.target_tokens(), data.target_vocabulary_size());
}

std::string inspect_data_folder(const fs::path& folder) {
  const DataFolderInfo info = read_data_folder(folder);
  std::string text =
      info.monolingual()
          ? fmt::format("{}: prepared data in {}\n", folder.string(), info.target_language)
          : fmt::format("{}: prepared data from {} to {}\n", folder.string(), info.source_language,
                        info.target_language);
  for (const char* split : {"train", "valid", "test"}) {
    const fs::path path = data_set_path(folder, split);
    if (fs::exists(path)) text += inspect_data_set(path);
  }
  return text + fmt::format("{}:\n{}", kDataInfo, indented(read_file(folder / kDataInfo)));
}

std::string inspect_vocabulary(const fs::path& path) {
  const std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(path);
  return fmt::format("{}: vocabulary of {} pieces, type {}, normalization {}\n", path.string(),
                     tokenizer->vocabulary().size(), tokenizer->type(),
                     normalization_name(tokenizer->normalization()));
}

std::string inspect_file(const fs::path& path) {
  if (path.extension() == ".skd") return inspect_data_set(path);
  if (path.extension() == ".safetensors") return inspect_tensors(path);
  try {
    return inspect_vocabulary(path);
  } catch (const FormatError& error) {
    throw FormatError(std::string(error.what()) +
                      "; other files to inspect are named .safetensors or .skd");
  }
}

}  // namespace

std::string inspect(const fs::path& path) {
  if (!fs::exists(path)) {
    throw FileError(fmt::format("there is no {}; check the name", path.string()));
  }
  if (!fs::is_directory(path)) return inspect_file(path);
  if (fs::exists(path / kDataInfo)) return inspect_data_folder(path);
  if (!fs::exists(path / kParametersFile) && !list_checkpoints(path).empty()) {
    return inspect_training(path);
  }
  return inspect_model(ModelFolder(path));
}

}  // namespace skein
