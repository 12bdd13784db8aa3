#include "skein/data/prepare.h"

#include <fmt/format.h>

#include <memory>
#include <tuple>

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/data/data_folder.h"
#include "skein/data/split_preparation.h"
#include "skein/text/tokenizers.h"

namespace skein {
namespace {

namespace fs = std::filesystem;

void check_options(const PrepareOptions& options) {
  if (options.train.empty()) throw UsageError("no training text was named; give --train");
  if (options.corpus.target_language.empty()) {
    throw UsageError("no language was named; give --source and --target, or --monolingual");
  }
  if (options.corpus.source_language == options.corpus.target_language) {
    throw UsageError(
        fmt::format("source and target are both '{}'; name two languages, or --monolingual",
                    options.corpus.target_language));
  }
  if (options.max_length < 1) {
    throw UsageError(fmt::format("--max-length is {}; it must be at least 1", options.max_length));
  }
  if (options.max_ratio != 0 && options.max_ratio < 1) {
    throw UsageError(
        fmt::format("--max-ratio is {}; it must be at least 1, or 0 for any", options.max_ratio));
  }
}

// The vocabularies of both sides, one object where they are shared.
struct Vocabularies {
  std::shared_ptr<const Tokenizer> source;
  std::shared_ptr<const Tokenizer> target;
};

// Copies the files into the folder under the names that `info` then has.
Vocabularies take_vocabularies(const PrepareOptions& options, const fs::path& folder,
                               DataFolderInfo& info) {
  const bool shared = options.target_vocabulary.empty() || options.corpus.monolingual() ||
                      options.target_vocabulary == options.vocabulary;
  info.source_vocabulary = shared ? "vocab.model" : "source.vocab.model";
  info.target_vocabulary = shared ? "vocab.model" : "target.vocab.model";
  const fs::path& target_path =
      options.target_vocabulary.empty() ? options.vocabulary : options.target_vocabulary;
  const std::shared_ptr<const Tokenizer> target = load_tokenizer(target_path);
  write_file(folder / info.target_vocabulary, read_file(target_path));
  if (shared) return {.source = target, .target = target};
  write_file(folder / info.source_vocabulary, read_file(options.vocabulary));
  return {.source = load_tokenizer(options.vocabulary), .target = target};
}

SplitCounts counts_of(const SplitReport& report) {
  return {.samples = report.kept,
          .source_tokens = report.source_tokens,
          .target_tokens = report.target_tokens};
}

}  // namespace

std::string describe(const SplitReport& report) {
  std::string text = fmt::format("{}: {} read, {} kept", report.split, report.read, report.kept);
  if (report.kept > 0) {
    const int64_t tokens = report.source_tokens + report.target_tokens;
    text += report.source_tokens > 0 ? fmt::format(" ({} source and {} target tokens",
                                                   report.source_tokens, report.target_tokens)
                                     : fmt::format(" ({} tokens", report.target_tokens);
    text += fmt::format(", {:.2f} % unknown)", 100.0 * static_cast<double>(report.unknown_tokens) /
                                                   static_cast<double>(tokens));
  }
  for (size_t i = 0; i < report.left_out.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "; left out: " : ", ", report.left_out[i].second,
                        report.left_out[i].first);
  }
  return text;
}

std::vector<SplitReport> prepare(const PrepareOptions& options) {
  check_options(options);
  require_replaceable(options.output);
  FolderWriter folder(options.output);
  DataFolderInfo info;
  info.source_language = options.corpus.source_language;
  info.target_language = options.corpus.target_language;
  const Vocabularies vocabularies = take_vocabularies(options, folder.path(), info);
  std::vector<SplitReport> reports;
  const auto add_split = [&](const internal::SplitTask& task, SplitCounts& counts) {
    if (task.corpora.empty()) return;
    reports.push_back(
        internal::prepare_split(task, options, *vocabularies.source, *vocabularies.target));
    counts = counts_of(reports.back());
  };
  add_split({.split = "train",
             .corpora = options.train,
             .filter = internal::training_filter(options),
             .drop_duplicates = options.drop_duplicates,
             .folder = folder.path()},
            info.train);
  for (const auto& [split, corpora, counts] : {std::tuple("valid", &options.valid, &info.valid),
                                               std::tuple("test", &options.test, &info.test)}) {
    add_split({.split = split,
               .corpora = *corpora,
               .filter = internal::evaluation_filter(options),
               .keep_source_text = options.keep_text && !options.corpus.monolingual(),
               .keep_target_text = true,
               .folder = folder.path()},
              *counts);
  }
  write_data_folder_info(info, folder.path());
  folder.commit();
  return reports;
}

}  // namespace skein
