// `skein score`: the log-probability of given translations.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "apps/skein/commands.h"
#include "apps/skein/model_choice.h"
#include "apps/skein/text_output.h"
#include "skein/base/error.h"
#include "skein/base/log.h"
#include "skein/decode/score_stream.h"

namespace skein::command {
namespace {

struct ScoreArguments {
  std::string model;
  ModelChoice choice;
  std::string source;
  std::string target;
  std::string output;
  std::string format = "text";
  std::string on_error = "stop";
  ScoreOptions options;
};

void run(ScoreArguments& arguments) {
  arguments.options.format =
      arguments.format == "jsonl" ? ScoreFormat::kJsonLines : ScoreFormat::kText;
  arguments.options.on_bad_line =
      arguments.on_error == "skip" ? OnBadLine::kSkip : OnBadLine::kStop;
  const LoadedModel loaded = load(arguments.model, arguments.choice);
  if (!loaded.model->has_source()) {
    throw UsageError(fmt::format(
        "{} is a language model: it has no source side; `skein perplexity` scores text with it",
        arguments.model));
  }
  LineReader source(arguments.source);
  LineReader target(arguments.target);
  TextOutput output(arguments.output,
                    std::array<std::filesystem::path, 2>{arguments.source, arguments.target});
  const ScoreCounts counts = score_stream(
      source, target, {*loaded.model, *loaded.source_tokenizer, *loaded.target_tokenizer},
      arguments.options, [&](std::string_view text) { output.write(text); });
  if (counts.skipped > 0) {
    log_warning(fmt::format("{} of {} pairs have no score", counts.skipped, counts.pairs));
  }
  if (counts.target_tokens > 0) {
    log_info(
        fmt::format("{} pairs, {} target tokens, perplexity {:.4f}", counts.pairs - counts.skipped,
                    counts.target_tokens,
                    std::exp(-counts.log_probability / static_cast<double>(counts.target_tokens))));
  }
}

}  // namespace

void add_score_command(CLI::App& app) {
  auto arguments = std::make_shared<ScoreArguments>();
  CLI::App* command = app.add_subcommand("score", "Log-probability of given translations");
  command->add_option("--model", arguments->model, "Folder of a trained model")->required();
  add_model_options(*command, arguments->choice);
  command->add_option("--source", arguments->source, "Text, plain, .gz or .zst")->required();
  command->add_option("--target", arguments->target, "Its translation, line by line")->required();
  command->add_option("--output", arguments->output, "File to write (default: standard output)");
  command->add_option("--format", arguments->format, "A number a line, or JSON with tokens")
      ->check(CLI::IsMember({"text", "jsonl"}))
      ->capture_default_str();
  command
      ->add_option("--on-error", arguments->on_error,
                   "A pair that cannot be scored ends the run, or has no score and is counted")
      ->check(CLI::IsMember({"stop", "skip"}))
      ->capture_default_str();
  command->add_option("--batch-tokens", arguments->options.batch_tokens, "Tokens of a batch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->callback([arguments] { run(*arguments); });
}

}  // namespace skein::command
