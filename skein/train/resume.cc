#include "skein/train/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/train/checkpoint.h"

namespace skein {
namespace {

bool may_change(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {
      "train.max_updates", "train.max_epochs", "train.max_minutes", "train.log_every",
      "validation.",       "checkpoint.",      "parallel."};
  return std::any_of(kNames.begin(), kNames.end(),
                     [name](std::string_view each) { return name.starts_with(each); });
}

// The checkpoint that a sentence names a file of; null if it names none.
const CheckpointPlace* named_in(std::string_view sentence,
                                const std::vector<CheckpointPlace>& checkpoints) {
  for (const CheckpointPlace& each : checkpoints) {
    const std::string path = each.path.string();
    if (sentence.find(path + "/") != sentence.npos || sentence.find(path + " ") != sentence.npos) {
      return &each;
    }
  }
  return nullptr;
}

// The file that every checkpoint has and this one has not; empty if it has all.
std::string missing_file(const std::filesystem::path& checkpoint) {
  for (const char* name : {kParametersFile, kConfigFile, kOptimizerFile, kStateFile}) {
    if (!std::filesystem::exists(checkpoint / name)) return name;
  }
  return {};
}

std::string way_on(const CheckpointPlace& damaged,
                   const std::vector<CheckpointPlace>& checkpoints) {
  std::string newest;
  for (const CheckpointPlace& each : checkpoints) {
    if (each.step != damaged.step) newest = each.path.filename().string();
  }
  return fmt::format("remove the folder {} to {}", damaged.path.string(),
                     newest.empty() ? "start anew" : "go on from " + newest);
}

constexpr const char* kDataSets = "data_sets";

std::string numbered(const char* name, size_t i) { return fmt::format("{}_{}", name, i); }

// What training goes through first, and what it is validated on last.
std::vector<const DataSet*> data_sets(const TrainingData& data) {
  std::vector<const DataSet*> all;
  for (const DataSet& each : data.train()) all.push_back(&each);
  all.push_back(&data.valid());
  return all;
}

}  // namespace

std::string with_way_on(const Error& error, const std::filesystem::path& training_folder) {
  const std::vector<CheckpointPlace> checkpoints = list_checkpoints(training_folder);
  for (const CheckpointPlace& each : checkpoints) {
    const std::string missing = missing_file(each.path);
    if (missing.empty()) continue;
    return fmt::format("the checkpoint {} is incomplete, {} is missing; {}", each.path.string(),
                       missing, way_on(each, checkpoints));
  }
  const CheckpointPlace* damaged = named_in(error.what(), checkpoints);
  if (damaged == nullptr) return error.what();
  return fmt::format("{}: {}", error.what(), way_on(*damaged, checkpoints));
}

void require_same_settings(const TrainOptions& before, const TrainOptions& now,
                           const std::filesystem::path& checkpoint) {
  std::vector<std::string> differences;
  if (before.model_name != now.model_name) {
    differences.push_back(
        fmt::format("model.name was {}, is {}", before.model_name, now.model_name));
  } else {
    const auto old_values = before.settings().describe();
    const auto new_values = now.settings().describe();
    for (size_t i = 0; i < old_values.size(); ++i) {
      if (may_change(old_values[i].name) || old_values[i].value == new_values[i].value) continue;
      differences.push_back(fmt::format("{} was {}, is {}", old_values[i].name, old_values[i].value,
                                        new_values[i].value));
    }
  }
  if (differences.empty()) return;
  throw UsageError(
      fmt::format("the settings are not those of {}: {}; give the same to go on, or another "
                  "--output to start anew",
                  checkpoint.string(), fmt::join(differences, "; ")));
}

void require_same_vocabularies(const ModelFolder& checkpoint, const std::filesystem::path& data) {
  for (const std::string& name : checkpoint.files()) {
    if (read_file(checkpoint.path() / name) == read_file(data / name)) continue;
    throw UsageError(fmt::format(
        "{} is not the vocabulary of {}; give the data of that training to go on, or another "
        "--output to start anew",
        (data / name).string(), checkpoint.path().string()));
  }
}

NamedNumbers identity_of(const TrainingData& data) {
  const std::vector<const DataSet*> sets = data_sets(data);
  NamedNumbers identity = {{kDataSets, static_cast<double>(sets.size())}};
  for (size_t i = 0; i < sets.size(); ++i) {
    identity[numbered("samples", i)] = static_cast<double>(sets[i]->size());
    identity[numbered("checksum", i)] = static_cast<double>(sets[i]->checksum());
  }
  return identity;
}

void require_same_data(const NamedNumbers& identity, const TrainingData& data,
                       const std::filesystem::path& checkpoint) {
  const auto saved = [&](const std::string& name) { return count_of(identity, name, "data"); };
  const auto refuse = [&](const std::string& difference) {
    throw UsageError(fmt::format(
        "{}, unlike the training of {}; give the same --data in the same order to go on, or "
        "another --output to start anew",
        difference, checkpoint.string()));
  };
  const std::vector<const DataSet*> sets = data_sets(data);
  const int64_t folders = saved(kDataSets) - 1;
  if (folders + 1 != std::ssize(sets)) {
    refuse(fmt::format("--data names {} instead of {} folders", sets.size() - 1, folders));
  }
  for (size_t i = 0; i < sets.size(); ++i) {
    const int64_t samples = saved(numbered("samples", i));
    const int64_t checksum = saved(numbered("checksum", i));
    if (sets[i]->size() == samples && sets[i]->checksum() == checksum) continue;
    refuse(fmt::format("{} has {} samples with checksum {:08x} instead of {} with {:08x}",
                       sets[i]->name(), sets[i]->size(), sets[i]->checksum(), samples, checksum));
  }
}

}  // namespace skein
