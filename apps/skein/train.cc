// `skein train`: a model from prepared data.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "apps/skein/communicator_flags.h"
#include "apps/skein/stop_signals.h"
#include "commands.h"
#include "skein/base/files.h"
#include "skein/base/log.h"
#include "skein/models/registry.h"
#include "skein/train/trainer.h"

namespace skein::command {
namespace {

struct TrainArguments {
  std::vector<std::string> data;
  std::string model;
  std::string output;
  std::string config;
  CommunicatorOptions communicator;
};

void run_train(const CLI::App& command, const TrainArguments& arguments) {
  std::string config;
  if (!arguments.config.empty()) config = read_file(arguments.config);
  std::string model = arguments.model;
  if (model.empty()) model = model_name_in(config, arguments.config);
  if (model.empty()) {
    throw UsageError(
        "which model? give --model NAME (transformer_small, say) or model.name in the --config "
        "file");
  }
  TrainOptions options(model);
  if (!config.empty()) options.settings().read_toml(config, arguments.config);
  apply_settings(options.settings(), command);
  watch_stop_signals();
  const std::unique_ptr<Communicator> communicator = start_ranks(arguments.communicator);
  share_cores(*communicator, command);
  const TrainingSummary summary = train(
      options, {.data = {arguments.data.begin(), arguments.data.end()}, .output = arguments.output},
      *communicator, stop_requested);
  log_info(fmt::format("{} after {} updates{}; the model is in {}",
                       summary.interrupted ? "interrupted" : "done", summary.updates,
                       summary.interrupted ? "" : ": " + summary.reason, arguments.output));
  // Only some ranks may have got the signal.
  if (summary.interrupted && stop_requested()) end_as_requested();
}

std::string list_settings(const std::string& model) {
  const std::string name = model.empty() ? "transformer_small" : model;
  const TrainOptions options(name);
  return fmt::format(
      "{}  In brackets: what {} has unless told; --model NAME --help shows another's.",
      settings_help(options.settings()), name);
}

}  // namespace

void add_train_command(CLI::App& app) {
  auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command = app.add_subcommand("train", "Train a model on prepared data");
  command
      ->add_option(
          "--data", arguments->data,
          "Folder that `skein prepare` wrote; or several, prepared with one vocabulary, of "
          "which the first is validated on")
      ->required();
  command->add_option("--model", arguments->model,
                      "Architecture and preset, transformer_small for example");
  command
      ->add_option("--output", arguments->output,
                   "Folder for checkpoints, log and curve; goes on where it stopped")
      ->required();
  command->add_option("--config", arguments->config, "Settings in TOML");
  add_communicator_flags(*command, arguments->communicator);
  accept_settings(*command);
  command->footer([arguments] { return list_settings(arguments->model); });
  command->callback([command, arguments] { run_train(*command, *arguments); });
}

}  // namespace skein::command
