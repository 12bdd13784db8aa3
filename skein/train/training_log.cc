#include "skein/train/training_log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/base/log.h"
#include "skein/train/curve.h"
#include "skein/train/log_points.h"

namespace skein {
namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* kLogFile = "log.jsonl";

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The rows up to `update`, without a last one that a killed process left unfinished.
void drop_rows_after(const std::filesystem::path& path, int64_t update) {
  if (!std::filesystem::exists(path)) return;
  const std::string text = read_file(path);
  std::string kept;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const auto row = nlohmann::json::parse(line, nullptr, false);
    if (!row.is_object() || row.value("step", int64_t{0}) > update) continue;
    kept += line + "\n";
  }
  write_file(path, kept);
}

std::string time_left(double elapsed, double progress) {
  if (progress <= 0) return "";
  const auto left = static_cast<int64_t>(elapsed * (1 - std::min(progress, 1.0)) / progress);
  return left >= 3600 ? fmt::format(", {}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60)
                      : fmt::format(", {}:{:02} left", left / 60, left % 60);
}

}  // namespace

TrainingLog::TrainingLog(std::filesystem::path folder, int64_t resumed_at)
    : folder_(std::move(folder)),
      events_(folder_ / "tensorboard", wall_time()),
      terminal_(::isatty(STDERR_FILENO) != 0 && log_format() == LogFormat::kText) {
  drop_rows_after(folder_ / kLogFile, resumed_at);
}

void TrainingLog::start(const Model& model, const DataSet& data) {
  begin_ = shown_ = window_.begin = Clock::now();
  log_info(fmt::format("training {:.1f} million parameters on {} samples ({} target tokens)",
                       static_cast<double>(model.parameters().count()) / 1e6, data.size(),
                       data.target_tokens()));
}

void TrainingLog::update(const UpdateReport& report) {
  window_.sums.smoothed += report.sums.smoothed;
  window_.sums.plain += report.sums.plain;
  window_.sums.tokens += report.sums.tokens;
  window_.source_tokens += report.source_tokens;
  window_.norm_sum += report.gradient_norm;
  ++window_.updates;
  if (terminal_ && seconds_since(shown_) > 0.3) show_progress(report);
  if (!report.write) return;
  if (!terminal_) show_progress(report);
  write_row(report);
  window_ = {.sums = {}, .source_tokens = 0, .norm_sum = 0, .updates = 0, .begin = Clock::now()};
}

void TrainingLog::show_progress(const UpdateReport& report) {
  const auto tokens = static_cast<double>(std::max<int64_t>(window_.sums.tokens, 1));
  const double speed = tokens / std::max(seconds_since(window_.begin), 1e-9);
  shown_ = Clock::now();
  if (log_format() == LogFormat::kJson) return;  // the row itself is shown
  const std::string line = fmt::format(
      "update {}, epoch {:.2f}, loss {:.3f}, perplexity {:.2f}, lr {:.2e}, {:.0f} tokens/s{}",
      report.update, report.epoch, window_.sums.smoothed / tokens,
      std::exp(window_.sums.plain / tokens), report.lr, speed,
      time_left(seconds_since(begin_), report.progress));
  if (!terminal_) {
    log_info(line);
    return;
  }
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  line_open_ = true;
}

void TrainingLog::write_row(const UpdateReport& report) {
  const auto tokens = static_cast<double>(std::max<int64_t>(window_.sums.tokens, 1));
  const double seconds = std::max(seconds_since(window_.begin), 1e-9);
  const double loss = window_.sums.smoothed / tokens;
  const double nll = window_.sums.plain / tokens;
  const double norm = window_.norm_sum / static_cast<double>(window_.updates);
  append(nlohmann::json{
      {"event", "train"},
      {"step", report.update},
      {"epoch", report.epoch},
      {"loss", loss},
      {"nll", nll},
      {"perplexity", std::exp(nll)},
      {"lr", report.lr},
      {"gradient_norm", norm},
      {"target_tokens_per_second", tokens / seconds},
      {"source_tokens_per_second", static_cast<double>(window_.source_tokens) / seconds},
      {"seconds", seconds_since(begin_)}}
             .dump());
  const double now = wall_time();
  const auto scalar = [&](const char* tag, double value) {
    events_.add_scalar(
        {.wall_time = now, .step = report.update, .tag = tag, .value = static_cast<float>(value)});
  };
  scalar("train/loss", loss);
  scalar("train/nll", nll);
  scalar("train/lr", report.lr);
  scalar("train/gradient_norm", norm);
  scalar("train/target_tokens_per_second", tokens / seconds);
}

void TrainingLog::validation(const ValidationReport& report) {
  const ValidationResult& result = report.result;
  nlohmann::json row{{"event", "valid"},
                     {"step", report.update},
                     {"loss", result.loss},
                     {"nll", result.nll},
                     {"perplexity", result.perplexity},
                     {"best", report.best},
                     {"seconds", seconds_since(begin_)}};
  if (result.bleu) row["bleu"] = *result.bleu;
  append(row.dump());
  const double now = wall_time();
  const auto scalar = [&](const char* tag, double value) {
    events_.add_scalar(
        {.wall_time = now, .step = report.update, .tag = tag, .value = static_cast<float>(value)});
  };
  scalar("valid/loss", result.loss);
  scalar("valid/perplexity", result.perplexity);
  if (result.bleu) scalar("valid/bleu", *result.bleu);
  if (log_format() != LogFormat::kJson) {
    say(fmt::format("validation at update {}: loss {:.3f}, perplexity {:.2f}{}{}", report.update,
                    result.loss, result.perplexity,
                    result.bleu ? fmt::format(", BLEU {:.2f}", *result.bleu) : "",
                    report.best ? " (best)" : ""));
  }
  draw();
}

void TrainingLog::append(const std::string& row) {
  const std::filesystem::path path = folder_ / kLogFile;
  std::ofstream file(path, std::ios::app);
  file << row << '\n';
  file.close();
  if (!file) throw FileError("cannot write " + path.string() + "; is the disk full?");
  if (log_format() == LogFormat::kJson) {
    std::fprintf(stderr, "%s\n", row.c_str());
  }
}

void TrainingLog::say(const std::string& line) {
  if (line_open_) std::fputc('\n', stderr);
  line_open_ = false;
  log_info(line);
}

void TrainingLog::draw() const {
  const std::filesystem::path path = folder_ / kLogFile;
  const std::string rows = read_file(path);
  const auto points = [&](const char* event, const char* y) {
    return log_points(rows, {.event = event, .x = "step", .y = y}, path.string());
  };
  Curve curve{.title = "Training " + folder_.filename().string(), .series = {}};
  curve.series.push_back({.name = "training loss", .points = points("train", "loss")});
  curve.series.push_back(
      {.name = "validation loss", .markers = true, .points = points("valid", "loss")});
  const std::vector<CurvePoint> bleu = points("valid", "bleu");
  if (!bleu.empty()) {
    curve.series.push_back(
        {.name = "validation BLEU", .axis = CurveAxis::kRight, .markers = true, .points = bleu});
  }
  write_file(folder_ / "curve.svg", draw_curve(curve));
}

void TrainingLog::finish() {
  if (line_open_) std::fputc('\n', stderr);
  line_open_ = false;
  if (std::filesystem::exists(folder_ / kLogFile)) draw();
}

}  // namespace skein
