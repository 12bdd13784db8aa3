// skein vocab: learns a vocabulary from text.
#include <fmt/format.h>

#include <memory>

#include "apps/skein/commands.h"
#include "apps/skein/communicator_flags.h"
#include "apps/skein/flag_rules.h"
#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/base/log.h"
#include "skein/comm/agreement.h"
#include "skein/data/learn_vocabulary.h"

namespace skein::command {
namespace {

struct VocabOptions {
  std::vector<std::filesystem::path> input;
  CorpusOptions corpus;
  std::string type = "bpe";
  LearnOptions learn;
  std::string normalization = normalization_name(learn.normalization);
  std::string codes;
  std::string on_error = "stop";
  std::filesystem::path output;
  CommunicatorOptions communicator;
};

BadRecords bad_records(const std::string& on_error) {
  if (on_error == "skip") return BadRecords::kSkip;
  if (on_error == "stop") return BadRecords::kRefuse;
  throw UsageError(fmt::format("--on-error '{}' is unknown; expected stop or skip", on_error));
}

// What cannot be written is told before hours of learning, not after.
void require_writable(const std::filesystem::path& output) {
  if (std::filesystem::is_directory(output)) {
    throw UsageError(
        fmt::format("--output {} is a folder; name a file, such as vocab.model", output.string()));
  }
  const std::filesystem::path folder = output.parent_path();
  require_writable_folder(folder.empty() ? "." : folder);
}

// Also where a corpus is named by the beginning of its files' names.
std::vector<std::filesystem::path> read_files(const VocabOptions& options) {
  std::vector<std::filesystem::path> files = {options.codes};
  for (const std::filesystem::path& input : options.input) {
    files.push_back(input);
    for (const std::string& language :
         {options.corpus.source_language, options.corpus.target_language}) {
      for (const char* end : {"", ".txt"})
        files.emplace_back(input.string() + "." + language + end);
    }
  }
  return files;
}

// Of all that can be told before the text is read.
void check(VocabOptions& options) {
  if (options.corpus.source_language.empty() != options.corpus.target_language.empty()) {
    throw UsageError("--source and --target belong together; give both, or neither for plain text");
  }
  if (!options.codes.empty() && options.type != "codes") {
    throw UsageError(fmt::format("--codes is for --type codes, but the type is {}", options.type));
  }
  options.learn.normalization = normalization_from_name(options.normalization);
  if (!options.codes.empty()) {
    options.learn.codes = read_file(options.codes);
    options.learn.codes_origin = options.codes;
    if (options.learn.codes.empty())
      throw FormatError(options.codes + ": the file is empty; name a codes file");
  }
  tokenizers().get(options.type);
}

void learn_and_save(const VocabOptions& options, Communicator& communicator) {
  const LearnedVocabulary learned = learn_vocabulary(options.type, options.learn,
                                                     {.corpora = options.input,
                                                      .options = options.corpus,
                                                      .bad_records = bad_records(options.on_error)},
                                                     communicator);
  if (communicator.rank() == 0) learned.tokenizer->save(options.output);
  communicator.barrier(Patience::kWhileAlive);
  if (communicator.rank() > 0) return;
  if (learned.skipped > 0) log_warning(fmt::format("{} bad lines were left out", learned.skipped));
  log_info(fmt::format("{}: {}, {} pieces, from {} lines", options.output.string(), options.type,
                       learned.tokenizer->vocabulary().size(), learned.lines));
}

void run_vocab(VocabOptions options) {
  const std::unique_ptr<Communicator> communicator = start_ranks(options.communicator);
  together(*communicator, [&] {
    check(options);
    if (communicator->rank() > 0) return;  // which does not write
    require_writable(options.output);
    require_not_among(options.output, read_files(options));
  });
  leave_on_error(*communicator, [&] { learn_and_save(options, *communicator); });
}

}  // namespace

void add_vocab_command(CLI::App& app) {
  const auto options = std::make_shared<VocabOptions>();
  CLI::App* command = app.add_subcommand("vocab", "Learn a vocabulary from text");
  command
      ->add_option("--input", options->input,
                   "Text files, plain, .gz or .zst; with --source and --target, corpora as for "
                   "`skein prepare`")
      ->required();
  command->add_option("--output", options->output, "File to write, such as vocab.model")
      ->required();
  command->add_option("--source", options->corpus.source_language,
                      "Source language of the corpora");
  command->add_option("--target", options->corpus.target_language,
                      "Target language of the corpora");
  command->add_option("--type", options->type, "bpe, unigram, word, char or codes")
      ->capture_default_str();
  command
      ->add_option(
          "--size", options->learn.size,
          "Pieces, special tokens included; for word and char the most, for codes the merges")
      ->capture_default_str();
  command->add_option("--normalization", options->normalization, "none, nfc or nfkc")
      ->capture_default_str();
  command->add_option("--symbol", options->learn.symbols,
                      "Pieces that stay whole, such as '<2de>'");
  command
      ->add_option("--character-coverage", options->learn.character_coverage,
                   "bpe, unigram: part of all characters that become pieces")
      ->capture_default_str();
  command->add_flag("--byte-fallback", options->learn.byte_fallback,
                    "bpe, unigram: spell unknown characters in bytes (256 pieces)");
  command
      ->add_option("--sample-bytes", options->learn.sample_bytes,
                   "bpe, unigram: learn from a random sample of this size; 0: 16 MB for bpe, 64 MB "
                   "for unigram")
      ->capture_default_str();
  command->add_option("--seed", options->learn.seed, "Of the sample")
      ->check(whole_number())
      ->capture_default_str();
  command
      ->add_option("--minimum-count", options->learn.minimum_count,
                   "word, char, codes: leave out what is rarer")
      ->capture_default_str();
  command->add_option("--codes", options->codes,
                      "codes: a file of subword-nmt or fastBPE instead of learning one");
  command->add_option("--on-error", options->on_error, "Lines that are not UTF-8: stop or skip")
      ->capture_default_str();
  add_communicator_flags(*command, options->communicator);
  command->callback([options] { run_vocab(*options); });
}

}  // namespace skein::command
