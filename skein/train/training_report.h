// What training reports while it runs: log.jsonl (one JSON object a row), TensorBoard events and
// curve.svg in its folder, and the progress on standard error: one line that is rewritten on a
// terminal, plain or JSON lines elsewhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "skein/autograd/loss.h"
#include "skein/base/progress.h"
#include "skein/data/data_set.h"
#include "skein/models/model.h"
#include "skein/train/event_writer.h"
#include "skein/train/loss_watch.h"
#include "skein/train/training_log.h"
#include "skein/train/validation.h"

namespace skein {

struct UpdateReport {
  int64_t update = 0;
  double epoch = 0;  // 1.5: half of the second
  LossSums sums;
  int64_t source_tokens = 0;
  double lr = 0;
  double gradient_norm = 0;
  double progress = 0;      // share of this process's work that is done, 0 if unknown
  int64_t last_update = 0;  // 0: not known
  bool write = false;       // a row of the log, for all updates since the last row
};

struct ValidationReport {
  int64_t update = 0;
  ValidationResult result;
  bool best = false;
};

class TrainingReport {
 public:
  // Rows of the log after update `resumed_at` (0: none is kept) are dropped: they will be made
  // again.
  TrainingReport(const std::filesystem::path& folder, int64_t resumed_at);

  void start(const Model& model, std::span<const DataSet> data);
  void update(const UpdateReport& report);
  void validation(const ValidationReport& report);
  // Ends the progress line and draws the curve a last time.
  void finish();

 private:
  void write_row(const UpdateReport& report);
  void write(const LogRow& row);
  void draw() const;

  // What has gathered since the last row.
  struct Window {
    LossSums sums;
    int64_t source_tokens = 0;
    double norm_sum = 0;
    int64_t updates = 0;
    double begin = 0;
  };

  std::filesystem::path folder_;
  TrainingLog log_;
  EventWriter events_;
  Progress progress_;
  Window window_;
  LossWatch watch_;
  double begin_ = 0;
};

}  // namespace skein
