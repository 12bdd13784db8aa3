#include "skein/train/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "skein/base/error.h"
#include "skein/base/files.h"

namespace skein {
namespace {

bool may_change(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"train.max_updates", "train.max_epochs",
                                                      "train.max_minutes", "train.log_every",
                                                      "validation.",       "checkpoint."};
  return std::any_of(kNames.begin(), kNames.end(),
                     [name](std::string_view each) { return name.starts_with(each); });
}

}  // namespace

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

}  // namespace skein
