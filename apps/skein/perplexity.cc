// `skein perplexity`: how well a language model predicts a text.
#include "skein/decode/perplexity.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/skein/commands.h"
#include "apps/skein/flag_rules.h"
#include "apps/skein/model_choice.h"
#include "skein/base/error.h"
#include "skein/base/log.h"
#include "skein/base/progress.h"
#include "skein/data/byte_stream.h"

namespace skein::command {
namespace {

struct PerplexityArguments {
  std::string model;
  ModelChoice choice;
  std::string input;
  std::string format = "text";
  std::string on_error = "stop";
  PerplexityOptions options;
};

std::string text_of(const PerplexityCounts& counts) {
  std::string text = fmt::format("perplexity a token {:.4f} ({} tokens, line ends included)\n",
                                 counts.per_token(), counts.tokens);
  if (!std::isfinite(counts.per_word())) return text;
  return text + fmt::format("perplexity a word {:.4f} ({} words, line ends included)\n",
                            counts.per_word(), counts.words);
}

std::string json_of(const PerplexityCounts& counts) {
  nlohmann::ordered_json json = {{"perplexity", counts.per_token()},
                                 {"word_perplexity", counts.per_word()},
                                 {"log_probability", counts.log_probability},
                                 {"tokens", counts.tokens},
                                 {"words", counts.words},
                                 {"unknown_tokens", counts.unknown},
                                 {"lines", counts.lines},
                                 {"skipped", counts.skipped}};
  if (!std::isfinite(counts.per_word())) json.erase("word_perplexity");
  return json.dump() + "\n";
}

void warn(const PerplexityCounts& counts) {
  if (counts.skipped > 0) {
    log_warning(fmt::format("lines that were left out: {}", counts.skipped));
  }
  if (!std::isfinite(counts.per_word())) {
    log_warning(
        fmt::format("the perplexity a word is beyond all numbers and left out: {} words have a "
                    "log-probability of {:.0f}; text without spaces has no words to count",
                    counts.words, counts.log_probability));
  }
  if (counts.unknown > 0) {
    log_warning(
        fmt::format("{} of {} tokens are not in the vocabulary, which makes the text easier to "
                    "predict: compare with models of the same vocabulary only",
                    counts.unknown, counts.tokens));
  }
}

LoadedModel load_language_model(const PerplexityArguments& arguments) {
  LoadedModel loaded = load(arguments.model, arguments.choice);
  if (!loaded.model->has_source()) return loaded;
  throw UsageError(
      fmt::format("{} translates: text by itself has no probability; `skein score` scores "
                  "translations",
                  arguments.model));
}

void run(const CLI::App& command, PerplexityArguments& arguments) {
  if (given(command, "--stride") && !given(command, "--context")) {
    throw UsageError("--stride needs --context: it is how far windows of the context are apart");
  }
  arguments.options.on_bad_line =
      arguments.on_error == "skip" ? OnBadLine::kSkip : OnBadLine::kStop;
  const LoadedModel loaded = load_language_model(arguments);
  LineReader lines = arguments.input.empty() ? LineReader(standard_input(), "standard input")
                                             : LineReader(arguments.input);
  Progress progress;
  const PerplexityCounts counts = perplexity(
      lines, *loaded.model, *loaded.target_tokenizer, arguments.options,
      [&](const PerplexityCounts& so_far) {
        progress.update(
            fmt::format("{} tokens, perplexity {:.2f}", so_far.tokens, so_far.per_token()),
            seconds_now());
      });
  progress.finish();
  if (counts.tokens == 0) {
    throw Error(fmt::format("{} has no line to predict; expected text", lines.name()));
  }
  warn(counts);
  print(arguments.format == "jsonl" ? json_of(counts) : text_of(counts));
}

}  // namespace

void add_perplexity_command(CLI::App& app) {
  auto arguments = std::make_shared<PerplexityArguments>();
  CLI::App* command = app.add_subcommand("perplexity", "How well a language model predicts a text");
  command->add_option("--model", arguments->model, "Folder of a trained language model")
      ->required();
  add_model_options(*command, arguments->choice);
  command->add_option("--input", arguments->input,
                      "Text, plain, .gz or .zst (default: standard input)");
  command->add_option("--format", arguments->format, "Lines of text, or one of JSON")
      ->check(CLI::IsMember({"text", "jsonl"}))
      ->capture_default_str();
  command
      ->add_option("--context", arguments->options.context,
                   "Read the text in windows of so many tokens (default: each line by itself)")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--stride", arguments->options.stride,
                   "How far windows are apart; what they share is context only (default: as far "
                   "as they are long)")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--on-error", arguments->on_error,
                   "A line that cannot be read ends the run, or is left out and counted")
      ->check(CLI::IsMember({"stop", "skip"}))
      ->capture_default_str();
  command->add_option("--batch-tokens", arguments->options.batch_tokens, "Tokens of a batch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->callback([command, arguments] { run(*command, *arguments); });
}

}  // namespace skein::command
