// skein prepare: text to the folder that training reads.
#include "skein/data/prepare.h"

#include <fmt/format.h>

#include <memory>

#include "apps/skein/commands.h"
#include "apps/skein/communicator_flags.h"
#include "skein/base/error.h"
#include "skein/base/log.h"

namespace skein::command {
namespace {

struct PrepareArguments {
  PrepareOptions options;
  std::string monolingual;
  std::string on_error = "stop";
  CommunicatorOptions communicator;
};

void run(const CLI::App& command, PrepareArguments arguments) {
  PrepareOptions& options = arguments.options;
  CorpusOptions& corpus = options.corpus;
  if (!arguments.monolingual.empty()) {
    corpus.target_language = arguments.monolingual;
  } else if (corpus.source_language.empty() || corpus.target_language.empty()) {
    throw UsageError("no languages were named; give --source and --target, or --monolingual");
  }
  options.on_error = arguments.on_error == "skip" ? OnError::kSkip : OnError::kStop;
  const std::unique_ptr<Communicator> communicator = start_ranks(arguments.communicator);
  share_cores(*communicator, command);
  for (const SplitReport& report : prepare(options, *communicator)) log_info(describe(report));
}

void add_corpus_options(CLI::App& command, PrepareArguments& arguments) {
  PrepareOptions& options = arguments.options;
  command.add_option("--source", options.corpus.source_language,
                     "Language to translate from (PREFIX.LANG)");
  command.add_option("--target", options.corpus.target_language, "Language to translate into");
  command.add_option("--monolingual", arguments.monolingual, "The language, for a language model")
      ->excludes("--source")
      ->excludes("--target");
  const std::string corpora =
      "PREFIX of PREFIX.LANG[.txt][.gz|.zst], or .tsv .tmx .po .mo .jsonl files";
  command.add_option("--train", options.train, "Training text: " + corpora)->required();
  command.add_option("--valid", options.valid, "Text for validation")->required();
  command.add_option("--test", options.test, "Held-out text");
  command.add_option("--source-column", options.corpus.source_column,
                     "TSV: column of the source, from 1");
  command.add_option("--target-column", options.corpus.target_column,
                     "TSV: column of the target, from 1");
  command.add_option("--source-key", options.corpus.source_key,
                     "JSON lines: key of the source (a.b: nested)");
  command.add_option("--target-key", options.corpus.target_key,
                     "JSON lines: key of the target, or of the text");
}

void add_filter_options(CLI::App& command, PrepareArguments& arguments) {
  PrepareOptions& options = arguments.options;
  command
      .add_option("--on-error", arguments.on_error,
                  "A bad record ends the run, or is counted and left out")
      ->check(CLI::IsMember({"stop", "skip"}))
      ->capture_default_str();
  command
      .add_option("--max-length", options.max_length,
                  "Longer training pairs are left out, in tokens")
      ->capture_default_str();
  command
      .add_option("--max-ratio", options.max_ratio,
                  "Training pairs with one side more times longer are left out; 0: none")
      ->capture_default_str();
  command.add_flag("--drop-identical", options.drop_identical,
                   "Leave out training pairs of equal sides");
  command.add_flag("--drop-duplicates", options.drop_duplicates,
                   "Leave out training pairs that were there before");
}

}  // namespace

void add_prepare_command(CLI::App& app) {
  auto arguments = std::make_shared<PrepareArguments>();
  CLI::App* command = app.add_subcommand("prepare", "Text to the data that training reads");
  add_corpus_options(*command, *arguments);
  command->add_option("--vocab", arguments->options.vocabulary, "Vocabulary, from skein vocab")
      ->required();
  command->add_option("--target-vocab", arguments->options.target_vocabulary,
                      "Vocabulary of the target, if it is another");
  command->add_option("--output", arguments->options.output, "Folder to write")->required();
  add_filter_options(*command, *arguments);
  command->add_flag("--keep-text", arguments->options.keep_text,
                    "Keep the source text of validation and test too");
  add_communicator_flags(*command, arguments->communicator);
  command->callback([command, arguments] { run(*command, *arguments); });
}

}  // namespace skein::command
