// The `skein` command: one file a subcommand, no logic of its own. This one turns what goes wrong
// into one sentence and an exit code.
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <thread>

#include "apps/skein/commands.h"
#include "apps/skein/stop_signals.h"
#include "apps/skein/usage.h"
#include "apps/skein/wait_policy.h"
#include "skein/base/error.h"
#include "skein/base/log.h"
#include "skein/base/parallel.h"
#include "skein/base/plugin.h"
#include "skein/comm/communicator.h"

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

int parse_and_run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App& command = chosen_command(app);
    print(command.help(&command == &app ? "" : full_name(*command.get_parent())));
  } catch (const CLI::CallForVersion&) {
    print("skein " SKEIN_VERSION "\n");
  } catch (const CLI::ParseError& error) {
    return complain(usage_sentence(app, error), kUsage);
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
  } catch (const EndedByAnotherRank& error) {
    // The launcher ends all when the first ends with an error: not before the other has told why.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    return error.usage() ? kUsage : kFailure;
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
