#include "skein/base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "skein/base/log.h"

namespace skein {
namespace {

constexpr double kTerminalSeconds = 0.1;
constexpr std::string_view kStartOfLine = "\r\x1b[K";  // and erase what is there

void write_to_standard_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

Progress::Sink sink_of(ProgressStyle style) {
  if (style == ProgressStyle::kTerminal) return write_to_standard_error;
  return [](std::string_view line) { log_info(line); };
}

}  // namespace

ProgressStyle progress_style() {
  const bool terminal = ::isatty(STDERR_FILENO) == 1 && log_format() == LogFormat::kText;
  return terminal ? ProgressStyle::kTerminal : ProgressStyle::kLines;
}

Progress::Progress(const Options& options)
    : Progress(options, progress_style(), sink_of(progress_style())) {}

Progress::Progress(const Options& options, ProgressStyle style, Sink sink)
    : options_(options), style_(style), sink_(std::move(sink)) {}

Progress::~Progress() { finish(); }

void Progress::update(std::string text, double now) {
  text_ = std::move(text);
  pending_ = true;
  const double wait =
      style_ == ProgressStyle::kTerminal ? kTerminalSeconds : options_.seconds_between_lines;
  if (written_ && now - last_ < wait) return;
  last_ = now;
  write();
}

void Progress::write() {
  if (style_ == ProgressStyle::kTerminal) {
    sink_(std::string(kStartOfLine) + text_);
    open_ = true;
  } else {
    sink_(text_);
  }
  pending_ = false;
  written_ = true;
}

void Progress::finish() {
  if (pending_) write();
  if (open_) sink_("\n");
  open_ = false;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::max(seconds, 0.0)));
  const int64_t minutes = whole / 60;
  const int64_t hours = minutes / 60;
  if (hours >= 24) return fmt::format("{} d {} h", hours / 24, hours % 24);
  if (hours > 0) return fmt::format("{} h {} min", hours, minutes % 60);
  if (minutes > 0) return fmt::format("{} min {} s", minutes, whole % 60);
  return fmt::format("{} s", whole);
}

std::string count_text(double count) {
  constexpr std::string_view kUnits = "kMGT";
  if (count < 999.5) return fmt::format("{:.0f}", count);
  size_t unit = 0;
  count /= 1000;
  for (; count >= 999.5 && unit + 1 < kUnits.size(); ++unit) count /= 1000;
  const int decimals = count < 9.995 ? 2 : count < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", count, decimals, kUnits[unit]);
}

}  // namespace skein
