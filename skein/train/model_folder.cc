#include "skein/train/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "skein/base/checksum.h"
#include "skein/base/error.h"

namespace skein {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kStepPrefix = "step-";
// Metadata of the parameters' file: the checksum of each file that belongs to the model.
constexpr std::string_view kFilePrefix = "skein.file.";

bool is_model(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / kParametersFile, ignored);
}

fs::path resolve(const fs::path& folder) {
  if (is_model(folder)) return folder;
  if (is_model(folder / "best")) return folder / "best";
  const std::vector<CheckpointPlace> checkpoints = list_checkpoints(folder);
  if (!checkpoints.empty()) return checkpoints.back().path;
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    throw FileError(
        fmt::format("there is no folder {}; name the output of `skein train`", folder.string()));
  }
  throw FileError(fmt::format(
      "{} holds no model: neither {} nor a checkpoint; name the output of `skein train`",
      folder.string(), kParametersFile));
}

[[noreturn]] void throw_incomplete(const fs::path& folder, const std::string& missing) {
  throw FileError(fmt::format(
      "the model in {} is incomplete, {} is missing; copy the whole folder, or name another one",
      folder.string(), missing));
}

fs::path complete(fs::path folder) {
  if (!fs::exists(folder / kConfigFile)) throw_incomplete(folder, kConfigFile);
  return folder;
}

std::vector<std::string> checked_files(const fs::path& folder, const Metadata& metadata) {
  std::vector<std::string> files;
  for (const auto& [key, checksum] : metadata) {
    if (!key.starts_with(kFilePrefix)) continue;
    const std::string name = key.substr(kFilePrefix.size());
    if (name != fs::path(name).filename()) {
      throw FormatError(fmt::format("{}: '{}' is no file name; use another copy",
                                    (folder / kParametersFile).string(), name));
    }
    if (!fs::exists(folder / name)) throw_incomplete(folder, name);
    if (file_crc32_text(folder / name) != checksum) {
      throw FormatError(fmt::format(
          "{}: this is not the file that the model was trained with; copy it from another "
          "checkpoint of the same training",
          (folder / name).string()));
    }
    files.push_back(name);
  }
  return files;
}

}  // namespace

ModelFolder::ModelFolder(const fs::path& folder)
    : path_(complete(resolve(folder))),
      parameters_(path_ / kParametersFile),
      files_(checked_files(path_, parameters_.metadata())) {}

void ModelFolder::load(std::span<const NamedTensor> parameters) const {
  load_tensors(parameters_, parameters, "parameters");
}

void write_model_files(const fs::path& folder, const ModelContents& contents) {
  Metadata metadata = contents.metadata;
  metadata["format"] = "skein";
  for (const fs::path& file : contents.files) {
    const std::string name = file.filename().string();
    write_file(folder / name, read_file(file));
    metadata[std::string(kFilePrefix) + name] = file_crc32_text(folder / name);
  }
  write_file(folder / kConfigFile, contents.config);
  write_safetensors(folder / kParametersFile, contents.parameters, std::move(metadata));
}

std::vector<CheckpointPlace> list_checkpoints(const fs::path& training_folder) {
  std::vector<CheckpointPlace> places;
  std::error_code missing;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(training_folder / "checkpoints", missing)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kStepPrefix)) continue;
    int64_t step = 0;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + kStepPrefix.size(), end, step);
    if (parsed.ec == std::errc() && parsed.ptr == end) places.push_back({entry.path(), step});
  }
  std::sort(places.begin(), places.end(),
            [](const CheckpointPlace& a, const CheckpointPlace& b) { return a.step < b.step; });
  return places;
}

fs::path checkpoint_name(int64_t step) {
  return fs::path("checkpoints") / fmt::format("{}{:08}", kStepPrefix, step);
}

}  // namespace skein
