#include "apps/skein/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "skein/base/error.h"
#include "skein/base/nearest.h"

namespace skein::command {
namespace {

[[noreturn]] void throw_output_error(int reason) {
  if (reason == EPIPE) throw OutputClosed{};
  throw FileError(fmt::format("cannot write to standard output: {}; the text is not complete",
                              std::strerror(reason)));
}

// The names that the user may have meant: the command's own flags and the settings.
std::vector<std::string> known_names(const Settings& settings, const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const Settings::Description& each : settings.describe()) names.push_back("--" + each.name);
  return names;
}

void require_setting(const Settings& settings, const CLI::App& command, const std::string& argument,
                     const std::string& name) {
  if (argument.starts_with("--") && settings.contains(name)) return;
  const std::string nearest = nearest_name("--" + name, known_names(settings, command));
  const char* kind = argument.starts_with("-") ? "unknown flag or setting" : "unexpected argument";
  throw UsageError(nearest.empty() || !argument.starts_with("-")
                       ? fmt::format("{} '{}'; see `{} --help`", kind, argument, full_name(command))
                       : fmt::format("{} '{}'; did you mean '{}'?", kind, argument, nearest));
}

}  // namespace

std::string full_name(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "skein";
  return full_name(*command.get_parent()) + " " + command.get_name();
}

void accept_settings(CLI::App& command) { command.allow_extras(); }

void apply_settings(Settings& settings, const CLI::App& command) {
  const std::vector<std::string> arguments = command.remaining();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const size_t equals = std::min(argument.find('='), argument.size());
    const std::string name = argument.starts_with("--") ? argument.substr(2, equals - 2) : argument;
    require_setting(settings, command, argument.substr(0, equals), name);
    if (equals < argument.size()) {
      settings.set(name, std::string_view(argument).substr(equals + 1));
    } else if (i + 1 < arguments.size()) {
      settings.set(name, arguments[++i]);
    } else {
      throw UsageError(
          fmt::format("the setting --{} has no value; expected --{} VALUE", name, name));
    }
  }
}

std::string settings_help(const Settings& settings) {
  std::string text = "Settings, also in a TOML file as tables (--config):\n";
  for (const Settings::Description& each : settings.describe()) {
    const std::string choices =
        each.choices.size() > 1 ? fmt::format(": {}", fmt::join(each.choices, ", ")) : "";
    text += fmt::format("  {:<38} {}{} [{}]\n", "--" + each.name, each.help, choices, each.value);
  }
  return text;
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw_output_error(errno);
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw_output_error(errno);
}

}  // namespace skein::command
