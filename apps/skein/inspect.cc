// skein inspect: what is in a checkpoint, a model, a data set or a vocabulary, and whether it is
// undamaged.
#include "skein/train/inspect.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "apps/skein/commands.h"

namespace skein::command {

void add_inspect_command(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Show what is in a checkpoint, a model, prepared data or a vocabulary");
  command->add_option("path", *path, "Folder or file")->required();
  command->callback([path] { print(inspect(*path)); });
}

}  // namespace skein::command
