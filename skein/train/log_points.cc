#include "skein/train/log_points.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "skein/base/error.h"

namespace skein {
namespace {

using nlohmann::json;

bool has_number(const json& row, const std::string& name) {
  const auto found = row.find(name);
  return found != row.end() && found->is_number();
}

bool belongs(const json& row, const LogColumn& column) {
  if (!has_number(row, column.x) || !has_number(row, column.y)) return false;
  return column.event.empty() || row.value("event", json()) == column.event;
}

}  // namespace

std::vector<CurvePoint> log_points(std::string_view json_lines, const LogColumn& column,
                                   std::string_view name) {
  std::vector<CurvePoint> points;
  size_t line_number = 0;
  for (size_t end = json_lines.find('\n'); end != std::string_view::npos;
       end = json_lines.find('\n')) {
    ++line_number;
    const std::string_view line = json_lines.substr(0, end);
    json_lines.remove_prefix(end + 1);
    if (line.empty()) continue;
    const json row = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!row.is_object()) {
      throw FormatError(fmt::format("{}:{}: not a JSON object; a training log has one a line", name,
                                    line_number));
    }
    if (belongs(row, column)) {
      points.push_back({.x = row[column.x].get<double>(), .y = row[column.y].get<double>()});
    }
  }
  return points;
}

}  // namespace skein
