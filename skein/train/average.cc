#include "skein/train/average.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/train/checkpoint.h"

namespace skein {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> first(const std::vector<fs::path>& paths, size_t count,
                            const fs::path& folder, const char* kind) {
  if (count == 0) throw UsageError("the mean of no checkpoints is asked for; give at least 1");
  if (!fs::exists(folder)) {
    throw FileError(
        fmt::format("there is no folder {}; name the output of `skein train`", folder.string()));
  }
  if (paths.size() < count) {
    throw UsageError(
        fmt::format("{} has {} {}, but {} are asked for; ask for fewer, or train with a larger "
                    "checkpoint.keep_last or checkpoint.keep_best",
                    folder.string(), paths.size(), kind, count));
  }
  return {paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Throws unless `other` has the entries and files of `one`.
void require_same_model(const ModelFolder& one, const ModelFolder& other) {
  const auto describe = [](const ModelFolder& model) { return model.path().string(); };
  const auto fail = [&](const std::string& what) {
    throw FormatError(
        fmt::format("{} and {} are different models: {}; name checkpoints of one "
                    "training",
                    describe(one), describe(other), what));
  };
  if (one.parameters().entries().size() != other.parameters().entries().size()) {
    fail(fmt::format("{} and {} parameters", one.parameters().entries().size(),
                     other.parameters().entries().size()));
  }
  for (const SafetensorsEntry& entry : one.parameters().entries()) {
    const SafetensorsEntry* same = other.parameters().find(entry.name);
    if (same == nullptr || same->type != entry.type || !(same->shape == entry.shape)) {
      fail(fmt::format("{} of shape {} is not in both", entry.name, entry.shape.to_string()));
    }
  }
  if (one.files() != other.files()) fail("their vocabularies have other names");
  for (const std::string& file : one.files()) {
    if (read_file(one.path() / file) != read_file(other.path() / file)) {
      fail(fmt::format("their {} differ", file));
    }
  }
}

Tensor mean_f32(const std::vector<ModelFolder>& models, const SafetensorsEntry& entry) {
  Tensor mean = Tensor::uninitialized(entry.shape, DType::kF32);
  std::vector<Tensor> inputs;
  inputs.reserve(models.size());
  for (const ModelFolder& model : models) inputs.push_back(model.parameters().read(entry.name));
  float* out = mean.data<float>();
  const auto count = static_cast<double>(models.size());
  parallel_for(mean.elements(), 8192, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      double sum = 0;
      for (const Tensor& input : inputs) sum += static_cast<double>(input.data<float>()[i]);
      out[i] = static_cast<float>(sum / count);
    }
  });
  return mean;
}

// Tensors of other types than f32 are no weights to average; they must agree.
Tensor common_value(const std::vector<ModelFolder>& models, const SafetensorsEntry& entry) {
  Tensor value = models.front().parameters().read(entry.name);
  for (const ModelFolder& model : models) {
    const Tensor other = model.parameters().read(entry.name);
    if (value.bytes() > 0 && std::memcmp(value.raw(), other.raw(), value.bytes()) != 0) {
      throw FormatError(fmt::format(
          "{}: {} is {} and differs from {}'s; only f32 parameters can be averaged",
          model.path().string(), entry.name, name_of(entry.type), models.front().path().string()));
    }
  }
  return value;
}

void require_usable_output(std::span<const fs::path> inputs, const fs::path& output) {
  if (!fs::exists(output)) return;
  if (!fs::exists(output / kParametersFile) &&
      !(fs::is_directory(output) && fs::is_empty(output))) {
    throw UsageError(fmt::format("{} is there already and is no model; choose another --output",
                                 output.string()));
  }
  for (const fs::path& input : inputs) {
    if (fs::equivalent(ModelFolder(input).path(), output)) {
      throw UsageError(fmt::format("{} is one of the models to average; choose another --output",
                                   output.string()));
    }
  }
}

}  // namespace

std::vector<fs::path> last_checkpoints(const fs::path& training_folder, size_t count) {
  std::vector<fs::path> paths;
  for (const CheckpointPlace& place : list_checkpoints(training_folder)) {
    paths.insert(paths.begin(), place.path);
  }
  return first(paths, count, training_folder, "checkpoints");
}

std::vector<fs::path> best_checkpoints(const fs::path& training_folder, size_t count) {
  std::vector<std::pair<Score, fs::path>> scored;
  for (const CheckpointPlace& place : list_checkpoints(training_folder)) {
    const auto score = Checkpoint(place.path).state().score;
    if (score) scored.emplace_back(*score, place.path);
  }
  const std::string metric = scored.empty() ? "" : scored.back().first.metric;
  std::erase_if(scored, [&](const auto& each) { return each.first.metric != metric; });
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first.better_than(b.first); });
  std::vector<fs::path> paths;
  paths.reserve(scored.size());
  for (const auto& [score, path] : scored) paths.push_back(path);
  return first(paths, count, training_folder, "checkpoints with a score");
}

void average_models(std::span<const fs::path> inputs, const fs::path& output) {
  if (inputs.empty()) throw UsageError("the mean of no models is asked for; name at least one");
  require_usable_output(inputs, output);
  std::vector<ModelFolder> models;
  for (const fs::path& input : inputs) {
    models.emplace_back(input);
    models.back().parameters().require_right_checksum();
    require_same_model(models.front(), models.back());
  }
  ModelContents contents;
  contents.config = read_file(models.front().config());
  for (const std::string& file : models.front().files()) {
    contents.files.push_back(models.front().path() / file);
  }
  for (const SafetensorsEntry& entry : models.front().parameters().entries()) {
    contents.parameters.push_back({entry.name, entry.type == DType::kF32
                                                   ? mean_f32(models, entry)
                                                   : common_value(models, entry)});
  }
  contents.metadata["averaged"] = std::to_string(models.size());
  FolderWriter writer(output);
  write_model_files(writer.path(), contents);
  writer.commit();
}

}  // namespace skein
