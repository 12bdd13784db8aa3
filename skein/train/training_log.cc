#include "skein/train/training_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
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

TrainingLog::TrainingLog(std::filesystem::path path, int64_t step) : path_(std::move(path)) {
  const bool resumed = step > 0 && std::filesystem::exists(path_);
  write_file(path_, resumed ? rows_until(read_file(path_), step, path_) : std::string());
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw FileError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
  }
}

TrainingLog::~TrainingLog() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TrainingLog::write(const LogRow& row) {
  const std::string line = to_json(row) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw FileError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
    }
    rest.remove_prefix(static_cast<size_t>(count));
  }
}

}  // namespace skein
