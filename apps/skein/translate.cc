// `skein translate`: text in, its translation out.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/skein/commands.h"
#include "apps/skein/flag_rules.h"
#include "apps/skein/model_choice.h"
#include "apps/skein/search_flags.h"
#include "apps/skein/text_output.h"
#include "apps/skein/translation_models.h"
#include "skein/base/error.h"
#include "skein/base/log.h"
#include "skein/base/progress.h"
#include "skein/decode/translate_stream.h"

namespace skein::command {
namespace {

struct TranslateArguments {
  std::vector<std::string> models;
  ModelChoice choice;
  std::string input;
  std::string input_format = "text";
  std::string prefixes;
  std::string constraints;
  std::string constraint_order = "any";
  std::string on_unmet = "stop";
  std::string output;
  std::string format = "text";
  std::string on_error = "stop";
  std::string on_long = "split";
  bool sample = false;
  double temperature = 1;
  SamplingOptions sampling;
  bool replace_unknown = false;
  std::string dictionary;
  std::string language_model;
  double language_weight = 0.2;
  std::string channel_model;
  RerankOptions rerank;
  TranslatorOptions options;
  StreamOptions stream;
};

constexpr std::array kExclusive = {
    FlagPair{"--sample", "--beam",
             "samples are drawn one by one and keep no beam; --n-best N draws N of them"},
    FlagPair{"--sample", "--diverse-groups", "samples are independent, so nothing parts them"},
    FlagPair{"--sample", "--sibling-penalty", "samples are independent, so none is a sibling"},
    FlagPair{"--sample", "--constraints",
             "constraints need a beam that keeps room for them, and samples have none"},
    FlagPair{"--constraints", "--diverse-groups", "each shares out the beam in its own way"},
    FlagPair{"--constraints", "--sibling-penalty", "each shares out the beam in its own way"},
    FlagPair{"--diverse-groups", "--sibling-penalty", "they are two ways to the same end"},
    FlagPair{"--match-source-length", "--min-length", "the source gives the length"},
    FlagPair{"--match-source-length", "--min-length-a", "the source gives the length"},
    FlagPair{"--match-source-length", "--max-length-a", "the source gives the length"},
    FlagPair{"--match-source-length", "--max-length-b", "the source gives the length"},
};

constexpr std::array kNeeded = {
    FlagPair{"--top-k", "--sample", "it says which tokens are drawn from"},
    FlagPair{"--top-p", "--sample", "it says which tokens are drawn from"},
    FlagPair{"--seed", "--sample", "a beam search draws nothing at random"},
    FlagPair{"--diverse-strength", "--diverse-groups", "it is how much groups avoid each other"},
    FlagPair{"--diverse-discount", "--diverse-groups", "it is how much groups avoid each other"},
    FlagPair{"--dictionary", "--replace-unknown", "it has words to replace unknown ones by"},
    FlagPair{"--lm-weight", "--lm", "it is the weight of that model"},
    FlagPair{"--channel-weight", "--channel-model", "it is the weight of that model"},
};

void require_consistent(const CLI::App& command, const TranslateArguments& arguments) {
  refuse_together(command, kExclusive);
  require_together(command, kNeeded);
  if (arguments.sample && arguments.temperature == 0) {
    throw UsageError(
        "--sample with --temperature 0 draws nothing: the likeliest token is always taken; leave "
        "out --sample, or raise the temperature");
  }
  const bool json = arguments.input_format == "jsonl";
  if (json && (given(command, "--prefix") || given(command, "--constraints"))) {
    throw UsageError(
        "JSON lines have prefix and constraints as keys; leave out --prefix and --constraints, or "
        "--input-format jsonl");
  }
  for (const char* flag : {"--constraint-order", "--on-unmet"}) {
    if (!given(command, flag) || json || given(command, "--constraints")) continue;
    throw UsageError(fmt::format(
        "{} needs --constraints or --input-format jsonl: without, there are none", flag));
  }
}

LineReader open_text(const std::string& path) {
  if (!path.empty()) return LineReader(path);
  if (::isatty(STDIN_FILENO) != 0) log_info("one sentence a line; Ctrl-D ends");
  return {standard_input(), "standard input"};
}

std::unique_ptr<SourceReader> open_input(const TranslateArguments& arguments) {
  LineReader lines = open_text(arguments.input);
  if (arguments.input_format == "jsonl") return json_source(std::move(lines));
  SourceCompanions companions;
  if (!arguments.prefixes.empty()) companions.prefixes.emplace(arguments.prefixes);
  if (!arguments.constraints.empty()) companions.constraints.emplace(arguments.constraints);
  return text_source(std::move(lines), std::move(companions));
}

void warn(const StreamCounts& counts, const SearchOptions& search) {
  const auto say = [](std::string_view what, int64_t count) {
    if (count > 0) log_warning(fmt::format("{}: {}", what, count));
  };
  say("lines that could not be translated and are empty", counts.skipped);
  say("lines longer than the model allows, translated in parts", counts.split);
  say("lines longer than the model allows, whose ends are missing", counts.truncated);
  say("lines whose constraints could not be met, translated without them", counts.unmet);
  say("translations shorter than their sources, for which the model has no positions",
      counts.shorter);
  // A length that the source gives is no sign of trouble.
  if (search.match_source_length) return;
  say(fmt::format("translations ended at the maximum length, {} x source + {} (--max-length-a, "
                  "--max-length-b) or where the model's positions end",
                  search.max_length_a, search.max_length_b),
      counts.cut);
}

TranslationFormat format_of(const TranslateArguments& arguments) {
  if (arguments.format == "jsonl") return TranslationFormat::kJsonLines;
  return arguments.options.n_best > 1 ? TranslationFormat::kNBestText : TranslationFormat::kText;
}

void interpret(TranslateArguments& arguments) {
  TranslatorOptions& options = arguments.options;
  options.long_lines = long_lines_from_name(arguments.on_long);
  options.on_unmet = on_unmet_from_name(arguments.on_unmet);
  options.search.constraint_order = constraint_order_from_name(arguments.constraint_order);
  if (arguments.sample) {
    options.search.sampling = arguments.sampling;
    options.search.beam = options.n_best;
  }
  arguments.rerank.length_penalty = options.search.length_penalty;
  arguments.rerank.batch_tokens = options.batch_tokens;
  arguments.rerank.language_weight = arguments.language_weight;
  arguments.stream.on_bad_line = arguments.on_error == "skip" ? OnBadLine::kSkip : OnBadLine::kStop;
  arguments.stream.style = {.format = format_of(arguments), .alignment = options.alignment};
}

WordDictionary read_dictionary(const std::string& path) {
  if (path.empty()) return {};
  LineReader lines(path);
  return WordDictionary(lines);
}

// All that the flags ask for, ready to translate.
class Setup {
 public:
  explicit Setup(const TranslateArguments& arguments)
      : models_(arguments.models, arguments.choice) {
    TranslatorExtensions extensions;
    if (!arguments.channel_model.empty()) {
      channel_.emplace(arguments.channel_model, arguments.language_model, arguments.choice,
                       arguments.rerank);
      models_.require_opposite(channel_->channel(), arguments.channel_model);
      extensions.reranker = &channel_->reranker();
    } else if (!arguments.language_model.empty()) {
      models_.fuse(arguments.language_model, arguments.language_weight, arguments.choice);
    }
    if (arguments.options.alignment || arguments.replace_unknown) {
      aligner_.emplace(models_.aligner());
      extensions.aligner = &*aligner_;
    }
    if (arguments.replace_unknown) {
      dictionary_ = read_dictionary(arguments.dictionary);
      extensions.unknown_words = &dictionary_;
    }
    const double temperature = arguments.temperature;
    translator_.emplace([this, temperature] { return models_.scorer(temperature); },
                        models_.source(), models_.target(), arguments.options, extensions);
  }

  const Translator& translator() const { return *translator_; }

 private:
  TranslationModels models_;
  std::optional<ChannelModels> channel_;
  std::optional<Aligner> aligner_;
  WordDictionary dictionary_;
  std::optional<Translator> translator_;
};

void run(const CLI::App& command, TranslateArguments& arguments) {
  require_consistent(command, arguments);
  interpret(arguments);
  const Setup setup(arguments);
  const std::unique_ptr<SourceReader> input = open_input(arguments);
  TextOutput output(arguments.output, std::array<std::filesystem::path, 4>{
                                          arguments.input, arguments.prefixes,
                                          arguments.constraints, arguments.dictionary});
  Progress progress;
  const double start = seconds_now();
  const bool visible = ::isatty(STDIN_FILENO) == 0 || !arguments.input.empty();
  const StreamCounts counts = translate_stream(
      *input, setup.translator(), arguments.stream,
      [&](std::string_view text) { output.write(text); },
      [&](const StreamCounts& so_far) {
        const double now = seconds_now();
        if (!visible || now - start < 2) return;
        progress.update(
            fmt::format("{} lines, {} target tokens/s", so_far.lines,
                        count_text(static_cast<double>(so_far.target_tokens) / (now - start))),
            now);
      });
  progress.finish();
  warn(counts, arguments.options.search);
}

void add_length_options(CLI::App& command, SearchOptions& search) {
  command
      .add_option("--min-length,--min-length-b", search.min_length,
                  "Fewest tokens of a translation: a x source tokens + this")
      ->capture_default_str();
  command.add_option("--min-length-a", search.min_length_a, "a of the above")
      ->capture_default_str();
  command
      .add_option("--max-length-a", search.max_length_a,
                  "Most tokens of a translation: a x source tokens + b")
      ->capture_default_str();
  command.add_option("--max-length-b", search.max_length_b, "b of the above")
      ->capture_default_str();
  command.add_flag("--match-source-length", search.match_source_length,
                   "A translation has exactly as many tokens as its source");
}

void add_search_options(CLI::App& command, TranslateArguments& arguments) {
  SearchOptions& search = arguments.options.search;
  command.add_option("--beam", search.beam, "Hypotheses kept at a time; 1: greedy")
      ->capture_default_str();
  command.add_option("--n-best", arguments.options.n_best, "Hypotheses written for a sentence")
      ->capture_default_str();
  add_length_options(command, search);
  add_score_flags(command, search, arguments.temperature);
  command.add_flag("--sample", arguments.sample, "Draw translations at random, --n-best of them");
  add_sampling_flags(command, arguments.sampling);
  add_diversity_flags(command, search.diversity);
}

void add_constraint_options(CLI::App& command, TranslateArguments& arguments) {
  command.add_option("--prefix", arguments.prefixes,
                     "Text, line by line, that the translations begin with");
  command.add_option("--constraints", arguments.constraints,
                     "Text, line by line, that the translations contain; several apart by tabs");
  add_constraint_order_flag(command, arguments.constraint_order);
  command
      .add_option("--on-unmet", arguments.on_unmet,
                  "Constraints that cannot be met are an error of the line, or left out")
      ->check(CLI::IsMember({"stop", "leave-out"}))
      ->capture_default_str();
}

void add_word_options(CLI::App& command, TranslateArguments& arguments) {
  command.add_flag("--print-alignment", arguments.options.alignment,
                   "Tell which source word each word was made from: 0-0 1-2");
  command.add_flag("--replace-unknown", arguments.replace_unknown,
                   "Unknown words become the source words that they were made from");
  command.add_option("--dictionary", arguments.dictionary,
                     "Or what this file translates them to: two words a line");
}

void add_other_models(CLI::App& command, TranslateArguments& arguments) {
  command.add_option("--lm", arguments.language_model,
                     "Folder of a language model that helps to translate");
  command.add_option("--lm-weight", arguments.language_weight, "Weight of its log-probabilities")
      ->capture_default_str();
  command.add_option("--channel-model", arguments.channel_model,
                     "Folder of a model that translates back: it, and --lm, sort what the beam "
                     "found anew");
  command
      .add_option("--channel-weight", arguments.rerank.channel_weight,
                  "Weight of its log-probabilities")
      ->capture_default_str();
}

void add_stream_options(CLI::App& command, TranslateArguments& arguments) {
  command.add_option("--input", arguments.input,
                     "Text, plain, .gz or .zst (default: standard input)");
  command
      .add_option("--input-format", arguments.input_format,
                  "Lines of text, or of JSON with keys source, prefix, constraints")
      ->check(CLI::IsMember({"text", "jsonl"}))
      ->capture_default_str();
  command.add_option("--output", arguments.output, "File to write (default: standard output)");
  command.add_option("--format", arguments.format, "Lines of text, or of JSON with scores")
      ->check(CLI::IsMember({"text", "jsonl"}))
      ->capture_default_str();
  command
      .add_option("--on-error", arguments.on_error,
                  "A line that cannot be translated ends the run, or stays empty and is counted")
      ->check(CLI::IsMember({"stop", "skip"}))
      ->capture_default_str();
  command
      .add_option("--on-long", arguments.on_long,
                  "A line beyond the model's positions is translated in parts, cut, or an error")
      ->check(CLI::IsMember({"split", "truncate", "refuse"}))
      ->capture_default_str();
  command
      .add_option("--batch-tokens", arguments.options.batch_tokens,
                  "Source tokens x beam of a batch")
      ->capture_default_str();
  command
      .add_option("--window", arguments.stream.window,
                  "Lines that are read at a time and sorted by length")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

}  // namespace

void add_translate_command(CLI::App& app) {
  auto arguments = std::make_shared<TranslateArguments>();
  CLI::App* command = app.add_subcommand("translate", "Text in, its translation out");
  command
      ->add_option("--model", arguments->models,
                   "Folder of a trained model; repeated, several translate together")
      ->allow_extra_args(false)
      ->required();
  add_model_options(*command, arguments->choice);
  add_stream_options(*command, *arguments);
  add_search_options(*command, *arguments);
  add_constraint_options(*command, *arguments);
  add_word_options(*command, *arguments);
  add_other_models(*command, *arguments);
  command->callback([command, arguments] { run(*command, *arguments); });
}

}  // namespace skein::command
