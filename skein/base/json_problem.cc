#include "skein/base/json_problem.h"

namespace skein {
namespace {

void remove_until(std::string_view& text, std::string_view end) {
  const size_t found = text.find(end);
  if (found != std::string_view::npos) text.remove_prefix(found + end.size());
}

}  // namespace

std::string json_problem(std::string_view message) {
  // "[json.exception.parse_error.101] parse error at line 2, column 1: syntax error ..."
  if (message.starts_with("[json.exception.")) remove_until(message, "] ");
  constexpr std::string_view kParseError = "parse error at ";
  if (message.starts_with(kParseError)) message.remove_prefix(kParseError.size());
  return std::string(message);
}

std::string json_problem_in_line(std::string_view message) {
  std::string problem = json_problem(message);
  constexpr std::string_view kLine = "line 1, ";
  if (problem.starts_with(kLine)) problem.erase(0, kLine.size());
  return problem;
}

}  // namespace skein
