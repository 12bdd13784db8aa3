#include "skein/train/training_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "skein/base/files.h"
#include "skein/base/log.h"
#include "skein/train/curve.h"
#include "skein/train/log_points.h"
#include "skein/train/training_progress.h"

namespace skein {
namespace {

constexpr const char* kLogFile = "log.jsonl";

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

TrainingReport::TrainingReport(const std::filesystem::path& folder, int64_t resumed_at)
    : folder_(folder),
      log_(folder / kLogFile, resumed_at),
      events_(folder / "tensorboard", wall_time()) {}

void TrainingReport::start(const Model& model, std::span<const DataSet> data) {
  int64_t samples = 0, tokens = 0;
  for (const DataSet& each : data) {
    samples += each.size();
    tokens += each.target_tokens();
  }
  begin_ = window_.begin = seconds_now();
  log_info(fmt::format("training {:.1f} million parameters on {} samples ({} target tokens)",
                       static_cast<double>(model.parameters().count()) / 1e6, samples, tokens));
}

void TrainingReport::update(const UpdateReport& report) {
  window_.sums.smoothed += report.sums.smoothed;
  window_.sums.plain += report.sums.plain;
  window_.sums.tokens += report.sums.tokens;
  window_.source_tokens += report.source_tokens;
  window_.norm_sum += report.gradient_norm;
  ++window_.updates;
  const double now = seconds_now();
  const auto tokens = static_cast<double>(std::max<int64_t>(window_.sums.tokens, 1));
  const double left = report.progress > 0 ? (now - begin_) * (1 / report.progress - 1) : -1;
  progress_.update(progress_text({.epoch = static_cast<int64_t>(std::ceil(report.epoch)),
                                  .step = report.update,
                                  .last_step = report.last_update,
                                  .loss = window_.sums.smoothed / tokens,
                                  .nll = window_.sums.plain / tokens,
                                  .tokens_per_second = tokens / std::max(now - window_.begin, 1e-9),
                                  .seconds_left = left}),
                   now);
  if (!report.write) return;
  write_row(report);
  window_ = {.sums = {}, .source_tokens = 0, .norm_sum = 0, .updates = 0, .begin = now};
}

void TrainingReport::write_row(const UpdateReport& report) {
  const auto tokens = static_cast<double>(std::max<int64_t>(window_.sums.tokens, 1));
  const double now = seconds_now();
  const double seconds = std::max(now - window_.begin, 1e-9);
  const double nll = window_.sums.plain / tokens;
  write({.event = "train",
         .step = report.update,
         .values = {
             {"epoch", report.epoch},
             {"loss", window_.sums.smoothed / tokens},
             {"nll", nll},
             {"ppl", std::exp(nll)},
             {"lr", report.lr},
             {"gradient_norm", window_.norm_sum / static_cast<double>(window_.updates)},
             {"tokens_per_second", tokens / seconds},
             {"source_tokens_per_second", static_cast<double>(window_.source_tokens) / seconds},
             {"seconds", now - begin_}}});
  if (const auto warning = watch_.see(nll, report.update)) {
    progress_.finish();
    log_warning(*warning);
  }
}

void TrainingReport::validation(const ValidationReport& report) {
  const ValidationResult& result = report.result;
  LogRow row{.event = "valid",
             .step = report.update,
             .values = {{"loss", result.loss},
                        {"nll", result.nll},
                        {"ppl", result.perplexity},
                        {"best", report.best ? 1 : 0},
                        {"seconds", seconds_now() - begin_}}};
  if (result.bleu) row.values.emplace_back("bleu", *result.bleu);
  progress_.finish();
  write(row);
  if (log_format() != LogFormat::kJson) {
    log_info(fmt::format("validation at update {}: loss {:.3f}, perplexity {:.2f}{}{}",
                         report.update, result.loss, result.perplexity,
                         result.bleu ? fmt::format(", BLEU {:.2f}", *result.bleu) : "",
                         report.best ? " (best)" : ""));
  }
  draw();
}

void TrainingReport::write(const LogRow& row) {
  log_.write(row);
  if (log_format() == LogFormat::kJson) log_row(to_json(row));
  for (const auto& [name, value] : row.values) {
    const std::string tag = row.event + "/" + name;
    events_.add_scalar({.wall_time = wall_time(),
                        .step = row.step,
                        .tag = tag,
                        .value = static_cast<float>(value)});
  }
}

void TrainingReport::draw() const {
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

void TrainingReport::finish() {
  progress_.finish();
  draw();
}

}  // namespace skein
