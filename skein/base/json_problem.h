// What is wrong with a JSON text, in a sentence of ours.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// `message`: what an exception of nlohmann-json says. Without the name and number of the exception;
// of a text that is no JSON: "line 2, column 1: syntax error ...".
std::string json_problem(std::string_view message);

// The same of a text of one line, which is told beside it: "column 1: syntax error ...".
std::string json_problem_in_line(std::string_view message);

}  // namespace skein
