// The log of a training, for programs: JSON lines, one object a row.
//
//   {"event":"train","step":100,"epoch":1,"loss":5.13,"nll":4.87,"ppl":29.2,"lr":0.000125,
//    "tokens_per_second":12040,"gradient_norm":1.7}
//   {"event":"valid","step":500,"epoch":2,"loss":3.9,"nll":3.42,"ppl":10.7,"bleu":21.4}
//
// A row is on its way to the disk before write() returns, so a killed program loses at most the end
// of its last row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skein/base/file_appender.h"

namespace skein {

struct LogRow {
  std::string event;                                        // "train", "valid", ...
  int64_t step = 0;                                         // updates made
  std::vector<std::pair<std::string, double>> values = {};  // NaN and infinities become null
};

class TrainingLog {
 public:
  // Goes on with the file, if there is one, after `step`: later rows, which a resumed training
  // makes once more, are dropped, and so is an unfinished last one. Step 0 begins anew. Throws
  // FileError; FormatError, naming file:line, for a row that is none.
  TrainingLog(const std::filesystem::path& path, int64_t step);

  // Throws FileError.
  void write(const LogRow& row);

 private:
  std::optional<FileAppender> file_;
};

// One line, without its line feed.
std::string to_json(const LogRow& row);

}  // namespace skein
