// What the files of the `skein` command share.
//
// A subcommand NAME is one file, NAME.cc, that defines `add_NAME_command` in this namespace, and
// one line of the list in CMakeLists.txt. It calls the library and holds no logic of its own:
//
//   void add_score_command(CLI::App& app) {
//     auto options = std::make_shared<ScoreOptions>();
//     CLI::App* command = app.add_subcommand("score", "Log-probability of given translations");
//     command->add_option("--model", options->model, "Folder of a trained model")->required();
//     command->callback([options] { run_score(*options); });
//   }
//
// The callback throws skein::Error (skein/base/error.h); main prints its sentence and sets the exit
// code. --threads and --log-format are added to every subcommand by main.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "skein/base/settings.h"

namespace skein::command {

// Adds every subcommand of the list in CMakeLists.txt.
void add_commands(CLI::App& app);

// As a user calls it: "skein bench train".
std::string full_name(const CLI::App& command);

// Lets `command` take settings by dotted name (`--optimizer.lr 5e-4`, `--optimizer.lr=5e-4`) beside
// its flags. They wait in command.remaining() until the callback gives them to apply_settings. Such
// a command has no positional arguments.
void accept_settings(CLI::App& command);

// Sets what accept_settings collected. Throws UsageError for a name that is neither a flag of
// `command` nor a setting, with the nearest of both; for a missing value; and for what
// Settings::set refuses.
void apply_settings(Settings& settings, const CLI::App& command);

// One line a setting: name, meaning, choices, default. For CLI::App::footer.
std::string settings_help(const Settings& settings);

// Writes to standard output. Throws OutputClosed when its reader has gone, FileError when it cannot
// be written (a full disk). Text waits in a buffer until flush_output(), which main calls at the
// end.
void print(std::string_view text);
void flush_output();

// Not an error: the reader of standard output has seen enough (`skein translate | head`).
struct OutputClosed {};

}  // namespace skein::command
