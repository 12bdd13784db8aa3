#include "skein/train/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "skein/base/error.h"

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

NamedNumbers to_numbers(const Cursor& cursor) {
  return {{"epoch", static_cast<double>(cursor.epoch)},
          {"batch", static_cast<double>(cursor.batch)},
          {"samples", static_cast<double>(cursor.samples)}};
}

Cursor cursor_from(const NamedNumbers& numbers) {
  const auto whole = [&numbers](const char* name) {
    return static_cast<int64_t>(number_of(numbers, name, "cursor"));
  };
  return {.epoch = whole("epoch"), .batch = whole("batch"), .samples = whole("samples")};
}

}  // namespace skein
