#include "apps/skein/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "apps/skein/commands.h"
#include "skein/base/nearest.h"

namespace skein::command {
namespace {

// The sentence for an argument that no flag and no command takes.
std::string unknown_argument(const CLI::App& command, const std::string& argument) {
  const bool flag = argument.starts_with("-");
  std::vector<std::string> known;
  if (flag) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  } else {
    for (const CLI::App* each : command.get_subcommands({})) known.push_back(each->get_name());
  }
  const bool names_command = command.get_parent() == nullptr;
  const char* kind = flag            ? "unknown flag"
                     : names_command ? "unknown command"
                                     : "unexpected argument";
  const std::string nearest = nearest_name(argument, known);
  if (!nearest.empty()) return fmt::format("{} '{}'; did you mean '{}'?", kind, argument, nearest);
  return fmt::format("{} '{}'; see `{} --help`", kind, argument, full_name(command));
}

std::string missing_command(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands({})) names.push_back(each->get_name());
  if (command.get_parent() == nullptr) return "no command given; `skein --help` lists them";
  return fmt::format("`{}` needs one of {}; see `{} --help`", full_name(command),
                     fmt::join(names, ", "), full_name(command));
}

// What stands between `before` and `after` in `text`, or its end where `after` is empty.
std::optional<std::string> between(std::string_view text, std::string_view before,
                                   std::string_view after) {
  const size_t begin = text.find(before);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin + before.size());
  const size_t end = after.empty() ? text.size() : text.find(after);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(0, end));
}

// CLI11: "Could not convert: --beam = x".
std::optional<std::string> not_a_number(const CLI::App& command, std::string_view message) {
  const auto flag = between(message, "Could not convert: ", " = ");
  const auto value = between(message, " = ", "");
  if (!flag || !value) return std::nullopt;
  const CLI::Option* option = command.get_option_no_throw(*flag);
  const std::string type = option == nullptr ? "" : option->get_type_name();
  const char* expected = type.starts_with("UINT")    ? "a whole number, 0 or more"
                         : type.starts_with("INT")   ? "a whole number"
                         : type.starts_with("FLOAT") ? "a number"
                                                     : "another value";
  return fmt::format("{} = '{}': expected {}", *flag, *value, expected);
}

// CLI11: "--format: xml not in {text,jsonl}".
std::optional<std::string> not_a_choice(std::string_view message) {
  const auto flag = between(message, "", ": ");
  const auto value = between(message, ": ", " not in {");
  const auto choices = between(message, " not in {", "}");
  if (!flag || !value || !choices) return std::nullopt;
  std::vector<std::string> names;
  std::istringstream stream(*choices);
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  const std::string nearest = nearest_name(*value, names);
  return fmt::format("{} = '{}': {}expected one of {}", *flag, *value,
                     nearest.empty() ? "" : fmt::format("did you mean '{}'? ", nearest),
                     fmt::join(names, ", "));
}

// "1 to 9" of CLI11's "1 to 9", or "[1 - 9]" since 2.4. A bound above 0 alone is the range of all
// positive numbers in full, or "2.22507e-308 to 1.79769e+308" since 2.4.
std::string range_text(std::string range) {
  if (range.starts_with("[") && range.ends_with("]")) range = range.substr(1, range.size() - 2);
  if (const size_t dash = range.find(" - "); dash != range.npos) range.replace(dash, 3, " to ");
  constexpr size_t kLongest = 50;
  const bool positive = range.size() > kLongest || range.starts_with("2.22507e-308");
  return positive ? "a number above 0" : range;
}

// CLI11: "--last: Value 0 not in range 1 to 9".
std::optional<std::string> out_of_range(std::string_view message) {
  const auto flag = between(message, "", ": ");
  if (!flag) return std::nullopt;
  if (const auto value = between(message, ": Value ", " not in range ")) {
    const auto range = between(message, " not in range ", "");
    return fmt::format("{} {} is out of range; expected {}", *flag, *value, range_text(*range));
  }
  return std::nullopt;
}

// CLI11: "--data is required" and "--data: 1 required TEXT missing".
std::optional<std::string> missing(std::string_view message) {
  if (const auto flag = between(message, "", " is required")) {
    return fmt::format("{} is missing; expected {} and its value", *flag, *flag);
  }
  if (const auto flag = between(message, "", ": 1 required ")) {
    return fmt::format("{} has no value; expected {} VALUE", *flag, *flag);
  }
  return std::nullopt;
}

}  // namespace

const CLI::App& chosen_command(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(app);
  // An unknown word may also be why a required one is missing, so it is told first.
  const std::vector<std::string> extras = command.remaining();
  if (!extras.empty() && !command.get_allow_extras()) {
    return unknown_argument(command, extras.front().substr(0, extras.front().find('=')));
  }
  const std::string message = error.what();
  if (message == "A subcommand is required") return missing_command(command);
  if (const auto sentence = not_a_number(command, message)) return *sentence;
  if (const auto sentence = not_a_choice(message)) return *sentence;
  if (const auto sentence = out_of_range(message)) return *sentence;
  const auto sentence = missing(message);
  return fmt::format("{}; see `{} --help`", sentence.value_or(message), full_name(command));
}

}  // namespace skein::command
