// What a user reads of a command line that cannot be parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace skein::command {

// The command that the arguments chose so far: `app`, one of its subcommands or one of theirs.
const CLI::App& chosen_command(const CLI::App& app);

// One sentence for what CLI11 found wrong with the arguments of `app`: what, and what was expected.
std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error);

}  // namespace skein::command
