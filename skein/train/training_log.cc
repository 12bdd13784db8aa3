#include "skein/train/training_log.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "skein/base/error.h"
#include "skein/base/files.h"

namespace skein {
namespace {

int64_t step_of(std::string_view line, const std::filesystem::path& path, size_t number) {
  const nlohmann::json row = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!row.is_object() || !row.contains("step") || !row["step"].is_number_integer()) {
    throw FormatError(
        fmt::format("{}:{}: not a row of a training log; move the file away to begin a new one",
                    path.string(), number));
  }
  return row["step"].get<int64_t>();
}

std::string rows_until(std::string_view content, int64_t step, const std::filesystem::path& path) {
  std::string kept;
  size_t number = 0;
  for (size_t end = content.find('\n'); end != std::string_view::npos; end = content.find('\n')) {
    const std::string_view line = content.substr(0, end);
    content.remove_prefix(end + 1);
    if (step_of(line, path, ++number) <= step) kept.append(line).append("\n");
  }
  return kept;
}

}  // namespace

std::string to_json(const LogRow& row) {
  nlohmann::ordered_json json{{"event", row.event}, {"step", row.step}};
  for (const auto& [name, value] : row.values) {
    // A whole number is written as one: "epoch":3, not 3.0.
    const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
    if (whole) {
      json[name] = static_cast<int64_t>(value);
    } else if (std::isfinite(value)) {
      json[name] = value;
    } else {
      json[name] = nullptr;
    }
  }
  return json.dump();
}

TrainingLog::TrainingLog(const std::filesystem::path& path, int64_t step) {
  const bool resumed = step > 0 && std::filesystem::exists(path);
  write_file(path, resumed ? rows_until(read_file(path), step, path) : std::string());
  file_.emplace(path);
}

void TrainingLog::write(const LogRow& row) { file_->append(to_json(row) + "\n"); }

}  // namespace skein
