// `skein translate`: text in, its translation out.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "apps/skein/commands.h"
#include "apps/skein/model_choice.h"
#include "apps/skein/text_output.h"
#include "skein/base/error.h"
#include "skein/base/log.h"
#include "skein/base/progress.h"
#include "skein/decode/model_scorer.h"
#include "skein/decode/translate_stream.h"

namespace skein::command {
namespace {

struct TranslateArguments {
  std::vector<std::string> models;
  ModelChoice choice;
  std::string input;
  std::string output;
  std::string format = "text";
  std::string on_error = "stop";
  std::string on_long = "split";
  TranslatorOptions options;
  StreamOptions stream;
};

// Models that translate together; all read and write the tokens of the first.
class Models {
 public:
  Models(const std::vector<std::string>& folders, const ModelChoice& choice) {
    for (const std::string& folder : folders) {
      loaded_.push_back(load(folder, choice));
      const LoadedModel& model = loaded_.back();
      // Checked before the vocabularies: a language model has no source's.
      const ModelScorer translates(*model.model);
      if (same_tokens(model, loaded_.front())) continue;
      throw UsageError(
          fmt::format("{} and {} have different vocabularies; models that translate together need "
                      "the same",
                      folders.front(), folder));
    }
  }

  const Tokenizer& source() const { return *loaded_.front().source_tokenizer; }
  const Tokenizer& target() const { return *loaded_.front().target_tokenizer; }

  std::unique_ptr<StepScorer> scorer() const {
    std::vector<std::unique_ptr<StepScorer>> scorers;
    for (const LoadedModel& each : loaded_) {
      scorers.push_back(std::make_unique<ModelScorer>(*each.model));
    }
    if (scorers.size() == 1) return std::move(scorers.front());
    return std::make_unique<EnsembleScorer>(std::move(scorers));
  }

 private:
  static bool same_tokens(const LoadedModel& a, const LoadedModel& b) {
    return &a == &b || (a.source_tokenizer->serialize() == b.source_tokenizer->serialize() &&
                        a.target_tokenizer->serialize() == b.target_tokenizer->serialize());
  }

  std::vector<LoadedModel> loaded_;
};

LineReader open_input(const std::string& path) {
  if (!path.empty()) return LineReader(path);
  if (::isatty(STDIN_FILENO) != 0) log_info("one sentence a line; Ctrl-D ends");
  return {standard_input(), "standard input"};
}

void warn(const StreamCounts& counts, const SearchOptions& search) {
  const auto say = [](std::string_view what, int64_t count) {
    if (count > 0) log_warning(fmt::format("{}: {}", what, count));
  };
  say("lines that could not be translated and are empty", counts.skipped);
  say("lines longer than the model allows, translated in parts", counts.split);
  say("lines longer than the model allows, whose ends are missing", counts.truncated);
  say(fmt::format("translations ended at the maximum length, {} x source + {} (--max-length-a, "
                  "--max-length-b)",
                  search.max_length_a, search.max_length_b),
      counts.cut);
}

TranslationFormat format_of(const TranslateArguments& arguments) {
  if (arguments.format == "jsonl") return TranslationFormat::kJsonLines;
  return arguments.options.n_best > 1 ? TranslationFormat::kNBestText : TranslationFormat::kText;
}

void run(TranslateArguments& arguments) {
  arguments.options.long_lines = long_lines_from_name(arguments.on_long);
  arguments.stream.on_bad_line = arguments.on_error == "skip" ? OnBadLine::kSkip : OnBadLine::kStop;
  arguments.stream.format = format_of(arguments);
  const Models models(arguments.models, arguments.choice);
  const Translator translator([&] { return models.scorer(); }, models.source(), models.target(),
                              arguments.options);
  LineReader input = open_input(arguments.input);
  TextOutput output(arguments.output, std::array<std::filesystem::path, 1>{arguments.input});
  Progress progress;
  const double start = seconds_now();
  const bool visible = ::isatty(STDIN_FILENO) == 0 || !arguments.input.empty();
  const StreamCounts counts = translate_stream(
      input, translator, arguments.stream, [&](std::string_view text) { output.write(text); },
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

void add_search_options(CLI::App& command, TranslateArguments& arguments) {
  SearchOptions& search = arguments.options.search;
  command.add_option("--beam", search.beam, "Hypotheses kept at a time; 1: greedy")
      ->capture_default_str();
  command.add_option("--n-best", arguments.options.n_best, "Hypotheses written for a sentence")
      ->capture_default_str();
  command
      .add_option("--length-penalty", search.length_penalty,
                  "Scores are divided by length to this power; more favours longer ones")
      ->capture_default_str();
  command.add_option("--min-length", search.min_length, "Fewest tokens of a translation")
      ->capture_default_str();
  command
      .add_option("--max-length-a", search.max_length_a,
                  "Most tokens of a translation: a x source tokens + b")
      ->capture_default_str();
  command.add_option("--max-length-b", search.max_length_b, "b of the above")
      ->capture_default_str();
  command
      .add_option("--no-repeat-ngram", search.no_repeat_ngram,
                  "No sequence of so many tokens occurs twice; 0: all may")
      ->capture_default_str();
  command
      .add_option("--unk-penalty", search.unk_penalty,
                  "Taken from the log-probability of the unknown word")
      ->capture_default_str();
  command.add_option("--temperature", search.temperature, "Logits are divided by it")
      ->capture_default_str();
}

void add_stream_options(CLI::App& command, TranslateArguments& arguments) {
  command.add_option("--input", arguments.input,
                     "Text, plain, .gz or .zst (default: standard input)");
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
                   "Folder of a trained model; several translate together")
      ->required();
  add_model_options(*command, arguments->choice);
  add_stream_options(*command, *arguments);
  add_search_options(*command, *arguments);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace skein::command
