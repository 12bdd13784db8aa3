// Columns of a training log, to draw or to compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "skein/train/curve.h"

namespace skein {

struct LogColumn {
  std::string event;  // only rows whose "event" is this; empty: all rows
  std::string x = "step";
  std::string y;
};

// One point for every row of `json_lines`, one JSON object a line, that has numbers under both
// names. A last line without its line feed, as a killed process leaves, is not read. Throws
// FormatError, naming `name` and the line, where another line is no JSON object.
std::vector<CurvePoint> log_points(std::string_view json_lines, const LogColumn& column,
                                   std::string_view name);

}  // namespace skein
