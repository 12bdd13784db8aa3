// skein average: the mean of several checkpoints' parameters.
#include "skein/train/average.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/skein/commands.h"
#include "skein/base/error.h"

namespace skein::command {
namespace {

struct AverageOptions {
  std::string model;
  std::vector<std::string> inputs;
  size_t last = 0;
  size_t best = 0;
  std::string output;
};

std::vector<std::filesystem::path> chosen_inputs(const AverageOptions& options) {
  const int choices =
      (options.last > 0 ? 1 : 0) + (options.best > 0 ? 1 : 0) + (options.inputs.empty() ? 0 : 1);
  if (choices != 1) {
    throw UsageError(
        "which models to average? give exactly one of --last N, --best N and --inputs DIR...");
  }
  if (!options.inputs.empty()) return {options.inputs.begin(), options.inputs.end()};
  if (options.model.empty()) {
    throw UsageError(
        "--last and --best choose from the checkpoints of a training; add --model DIR");
  }
  return options.last > 0 ? last_checkpoints(options.model, options.last)
                          : best_checkpoints(options.model, options.best);
}

void run_average(const AverageOptions& options) {
  const std::vector<std::filesystem::path> inputs = chosen_inputs(options);
  average_models(inputs, options.output);
  for (const std::filesystem::path& input : inputs) print(fmt::format("{}\n", input.string()));
  print(fmt::format("{}: the mean of {} models\n", options.output, inputs.size()));
}

}  // namespace

void add_average_command(CLI::App& app) {
  auto options = std::make_shared<AverageOptions>();
  CLI::App* command = app.add_subcommand("average", "Average the parameters of checkpoints");
  command->add_option("--model", options->model, "Output folder of a training");
  command->add_option("--last", options->last, "Average its last N checkpoints")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--best", options->best, "Average its N checkpoints of the best score")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--inputs", options->inputs, "Average these models");
  command->add_option("--output", options->output, "Folder of the new model")->required();
  command->callback([options] { run_average(*options); });
}

}  // namespace skein::command
