// The `skein` command: one file a subcommand, no logic of its own. This one turns what goes wrong
// into one sentence and an exit code.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "apps/skein/commands.h"
#include "apps/skein/stop_signals.h"
#include "apps/skein/wait_policy.h"
#include "skein/base/error.h"
#include "skein/base/log.h"
#include "skein/base/nearest.h"
#include "skein/base/parallel.h"
#include "skein/base/plugin.h"

namespace skein::command {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
// What a shell shows for a program that a signal ended: this and its number.
constexpr int kSignal = 128;
constexpr int kOutputClosed = kSignal + SIGPIPE;

constexpr int kMostThreads = 1024;

int complain(std::string_view sentence, int exit_code) {
  fmt::print(stderr, "skein: {}\n", sentence);
  return exit_code;
}

void choose_threads(int count) {
  if (count < 1 || count > kMostThreads) {
    throw UsageError(
        fmt::format("--threads {} is out of range; expected 1 to {}", count, kMostThreads));
  }
  set_threads(count);
}

void choose_log_format(const std::string& name) {
  if (name != "text" && name != "json") {
    throw UsageError(fmt::format("--log-format '{}' is unknown; expected text or json", name));
  }
  set_log_format(name == "json" ? LogFormat::kJson : LogFormat::kText);
}

void add_common_options(CLI::App& command) {
  command.add_option_function<int>("--threads", choose_threads,
                                   "Threads that compute (default: all cores)");
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin",
          [](const std::vector<std::string>& files) {
            for (const std::string& file : files) load_plugin(file);
          },
          "Shared library that adds models or other parts; may be repeated")
      ->allow_extra_args(false);
  command.add_option_function<std::string>("--log-format", choose_log_format,
                                           "Progress on standard error as text or json");
  for (CLI::App* nested : command.get_subcommands({})) add_common_options(*nested);
}

const CLI::App& chosen_command(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

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

int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(app);
  // An unknown word may also be why a required one is missing, so it is told first.
  const std::vector<std::string> extras = command.remaining();
  if (!extras.empty() && !command.get_allow_extras()) {
    return complain(unknown_argument(command, extras.front().substr(0, extras.front().find('='))),
                    kUsage);
  }
  if (&command == &app && error.get_name() == "RequiredError") {
    return complain("no command given; `skein --help` lists them", kUsage);
  }
  return complain(fmt::format("{}; see `{} --help`", error.what(), full_name(command)), kUsage);
}

int parse_and_run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App& command = chosen_command(app);
    print(command.help(&command == &app ? "" : full_name(*command.get_parent())));
  } catch (const CLI::CallForVersion&) {
    print("skein " SKEIN_VERSION "\n");
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error);
  }
  flush_output();
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("Sequence models on ordinary machines: from parallel text to a translation",
               "skein");
  app.set_version_flag("--version", "skein " SKEIN_VERSION);
  app.require_subcommand(1);
  add_commands(app);
  add_common_options(app);
  try {
    return parse_and_run(app, argc, argv);
  } catch (const OutputClosed&) {
    return kOutputClosed;
  } catch (const Stopped& stopped) {
    return kSignal + stopped.signal;
  } catch (const UsageError& error) {
    return complain(error.what(), kUsage);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; use smaller batches, a smaller model or fewer threads",
                    kFailure);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailure);
  }
}

}  // namespace
}  // namespace skein::command

int main(int argc, char** argv) {
  // `skein --help` computes nothing.
  if (argc > 1 && argv[1][0] != '-') skein::command::wait_asleep(argv);
  // A closed pipe or socket then is a failed write, which is told or ended quietly, and never a
  // signal.
  std::signal(SIGPIPE, SIG_IGN);
  return skein::command::run(argc, argv);
}
