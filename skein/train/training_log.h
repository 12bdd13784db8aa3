// What training reports while it runs: log.jsonl (one JSON object a row), TensorBoard events and
// curve.svg in its folder, and the progress on standard error: one line that is rewritten on a
// terminal, plain or JSON lines elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "skein/autograd/loss.h"
#include "skein/data/data_set.h"
#include "skein/models/model.h"
#include "skein/train/event_writer.h"
#include "skein/train/validation.h"

namespace skein {

struct UpdateReport {
  int64_t update = 0;
  double epoch = 0;  // 1.5: half of the second
  LossSums sums;
  int64_t source_tokens = 0;
  double lr = 0;
  double gradient_norm = 0;
  double progress = 0;  // share of the work that is done, 0 if unknown
  bool write = false;   // a row of the log, for all updates since the last row
};

struct ValidationReport {
  int64_t update = 0;
  ValidationResult result;
  bool best = false;
};

class TrainingLog {
 public:
  // Rows after update `resumed_at` (0: none is kept) are dropped: they will be made again.
  TrainingLog(std::filesystem::path folder, int64_t resumed_at);

  void start(const Model& model, const DataSet& data);
  void update(const UpdateReport& report);
  void validation(const ValidationReport& report);
  // Draws the curve a last time.
  void finish();

 private:
  void show_progress(const UpdateReport& report);
  void write_row(const UpdateReport& report);
  void append(const std::string& row);
  void say(const std::string& line);
  void draw() const;

  // What has gathered since the last row.
  struct Window {
    LossSums sums;
    int64_t source_tokens = 0;
    double norm_sum = 0;
    int64_t updates = 0;
    std::chrono::steady_clock::time_point begin;
  };

  std::filesystem::path folder_;
  EventWriter events_;
  Window window_;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point shown_;
  bool terminal_;
  bool line_open_ = false;
};

}  // namespace skein
