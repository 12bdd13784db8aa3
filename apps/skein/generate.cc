// `skein generate`: a language model goes on with text.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "apps/skein/commands.h"
#include "apps/skein/flag_rules.h"
#include "apps/skein/language_models.h"
#include "apps/skein/search_flags.h"
#include "apps/skein/text_output.h"
#include "skein/base/error.h"
#include "skein/base/log.h"
#include "skein/data/byte_stream.h"
#include "skein/decode/generate_stream.h"

namespace skein::command {
namespace {

struct GenerateArguments {
  std::vector<std::string> models;
  ModelChoice choice;
  std::vector<std::string> prompts;
  std::string input;
  std::string output;
  std::string format = "text";
  std::string on_error = "stop";
  std::string on_long = "refuse";
  std::string constraint_order = "any";
  std::string on_unmet = "stop";
  double temperature = 1;
  SamplingOptions sampling;
  GeneratorOptions options;
  GenerateStreamOptions stream;
};

constexpr std::array kExclusive = {
    FlagPair{"--prompt", "--input", "both say what to go on with"},
    FlagPair{"--beam", "--top-k", "a beam search draws nothing at random"},
    FlagPair{"--beam", "--top-p", "a beam search draws nothing at random"},
    FlagPair{"--beam", "--seed", "a beam search draws nothing at random"},
    FlagPair{"--diverse-groups", "--sibling-penalty", "they are two ways to the same end"},
    FlagPair{"--constraint", "--diverse-groups", "each shares out the beam in its own way"},
    FlagPair{"--constraint", "--sibling-penalty", "each shares out the beam in its own way"},
};

constexpr std::array kNeeded = {
    FlagPair{"--diverse-groups", "--beam", "samples are independent, so nothing parts them"},
    FlagPair{"--sibling-penalty", "--beam", "samples are independent, so none is a sibling"},
    FlagPair{"--constraint", "--beam", "samples have no beam that keeps room for it"},
    FlagPair{"--constraint-order", "--constraint", "without, there are none"},
    FlagPair{"--on-unmet", "--constraint", "without, there are none"},
    FlagPair{"--diverse-strength", "--diverse-groups", "it is how much groups avoid each other"},
    FlagPair{"--diverse-discount", "--diverse-groups", "it is how much groups avoid each other"},
};

// At a temperature of 0 the likeliest token is always taken: greedy search.
void require_effect_at_zero(const CLI::App& command, const GenerateArguments& arguments) {
  for (const char* flag : {"--top-k", "--top-p", "--seed", "--beam"}) {
    if (!given(command, flag)) continue;
    throw UsageError(
        fmt::format("--temperature 0 always takes the likeliest token, so {} has no effect; leave "
                    "one of them out",
                    flag));
  }
  if (arguments.options.n_best == 1) return;
  throw UsageError(
      "--temperature 0 always takes the likeliest token, so there is one text only; leave out "
      "--n-best, or use --beam for the best few");
}

void interpret(const CLI::App& command, GenerateArguments& arguments) {
  refuse_together(command, kExclusive);
  require_together(command, kNeeded);
  GeneratorOptions& options = arguments.options;
  if (arguments.temperature == 0) {
    require_effect_at_zero(command, arguments);
    arguments.temperature = 1;
    options.search.beam = 1;
  } else if (!given(command, "--beam")) {
    options.search.sampling = arguments.sampling;
    options.search.beam = options.n_best;
  }
  options.search.constraint_order = constraint_order_from_name(arguments.constraint_order);
  options.on_unmet = on_unmet_from_name(arguments.on_unmet);
  options.long_prompts =
      arguments.on_long == "truncate" ? LongPrompts::kTruncate : LongPrompts::kRefuse;
  GenerateStreamOptions& stream = arguments.stream;
  stream.on_bad_line = arguments.on_error == "skip" ? OnBadLine::kSkip : OnBadLine::kStop;
  stream.format = arguments.format == "jsonl" ? TranslationFormat::kJsonLines
                  : options.n_best > 1        ? TranslationFormat::kNBestText
                                              : TranslationFormat::kText;
  const bool watched = arguments.output.empty() && ::isatty(STDOUT_FILENO) != 0;
  stream.growing = stream.format == TranslationFormat::kText && options.search.beam == 1 &&
                   options.constraints.empty() && (watched || !arguments.prompts.empty());
}

LineReader open_input(const GenerateArguments& arguments) {
  if (!arguments.prompts.empty()) {
    std::string text;
    for (const std::string& prompt : arguments.prompts) text += on_one_line(prompt) + "\n";
    return {memory_stream(text, "--prompt"), "--prompt"};
  }
  if (!arguments.input.empty()) return LineReader(arguments.input);
  if (::isatty(STDIN_FILENO) != 0) log_info("one prompt a line; Ctrl-D ends");
  return {standard_input(), "standard input"};
}

void warn(const GenerateCounts& counts) {
  const auto say = [](std::string_view what, int64_t count) {
    if (count > 0) log_warning(fmt::format("{}: {}", what, count));
  };
  say("prompts that could not be gone on with and are empty", counts.skipped);
  say("prompts longer than the model allows, whose beginnings were left out", counts.truncated);
  say("prompts whose constraints could not be met, gone on with without them", counts.unmet);
  if (counts.unknown == 0) return;
  log_warning(
      fmt::format("{} of {} tokens of the prompts are not in the vocabulary, so the model "
                  "does not know what they say",
                  counts.unknown, counts.tokens));
}

void run(const CLI::App& command, GenerateArguments& arguments) {
  interpret(command, arguments);
  const LanguageModels models(arguments.models, arguments.choice);
  const Generator generator([&] { return models.scorer(arguments.temperature); },
                            models.tokenizer(), arguments.options);
  LineReader input = open_input(arguments);
  TextOutput output(arguments.output, std::array<std::filesystem::path, 1>{arguments.input});
  warn(generate_stream(input, generator, arguments.stream,
                       [&](std::string_view text) { output.write(text); }));
}

void add_text_options(CLI::App& command, GenerateArguments& arguments) {
  command.add_option("--prompt", arguments.prompts, "Text to go on with; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--input", arguments.input,
                     "Prompts, one a line, plain, .gz or .zst (default: standard input)");
  command.add_option("--output", arguments.output, "File to write (default: standard output)");
  command.add_option("--format", arguments.format, "Prompt and what follows, or JSON with scores")
      ->check(CLI::IsMember({"text", "jsonl"}))
      ->capture_default_str();
  command
      .add_option(
          "--on-error", arguments.on_error,
          "A prompt that cannot be gone on with ends the run, or stays empty and is counted")
      ->check(CLI::IsMember({"stop", "skip"}))
      ->capture_default_str();
  command
      .add_option("--on-long", arguments.on_long,
                  "A prompt that fills the model's context is an error, or its beginning is left "
                  "out")
      ->check(CLI::IsMember({"refuse", "truncate"}))
      ->capture_default_str();
}

void add_search_options(CLI::App& command, GenerateArguments& arguments) {
  GeneratorOptions& options = arguments.options;
  command.add_option("--max-length", options.max_length, "Most tokens behind the prompt")
      ->capture_default_str();
  command.add_option("--min-length", options.min_length, "Fewest tokens behind the prompt")
      ->capture_default_str();
  command.add_option("--n-best", options.n_best, "Texts written for a prompt")
      ->capture_default_str();
  add_score_flags(command, options.search, arguments.temperature);
  add_sampling_flags(command, arguments.sampling);
  command.add_option("--beam", options.search.beam,
                     "Search with so many hypotheses instead of drawing at random");
  add_diversity_flags(command, options.search.diversity);
  command
      .add_option("--constraint", options.constraints,
                  "Text that what follows the prompt contains; may be repeated")
      ->allow_extra_args(false);
  add_constraint_order_flag(command, arguments.constraint_order);
  command
      .add_option("--on-unmet", arguments.on_unmet,
                  "Constraints that cannot be met are an error of the prompt, or left out")
      ->check(CLI::IsMember({"stop", "leave-out"}))
      ->capture_default_str();
  command
      .add_option("--batch-tokens", options.batch_tokens,
                  "Tokens of a batch, prompts and what follows, x beam")
      ->capture_default_str();
  command
      .add_option("--window", arguments.stream.window,
                  "Prompts that are read at a time and sorted by length")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

}  // namespace

void add_generate_command(CLI::App& app) {
  auto arguments = std::make_shared<GenerateArguments>();
  CLI::App* command = app.add_subcommand("generate", "A language model goes on with text");
  command
      ->add_option("--model", arguments->models,
                   "Folder of a trained language model; repeated, several go on together")
      ->allow_extra_args(false)
      ->required();
  add_model_options(*command, arguments->choice);
  add_text_options(*command, *arguments);
  add_search_options(*command, *arguments);
  command->callback([command, arguments] { run(*command, *arguments); });
}

}  // namespace skein::command
