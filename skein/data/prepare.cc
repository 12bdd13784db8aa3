#include "skein/data/prepare.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <tuple>

#include "skein/base/checksum.h"
#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/comm/agreement.h"
#include "skein/comm/single_process.h"
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

bool share_vocabulary(const PrepareOptions& options) {
  return options.target_vocabulary.empty() || options.corpus.monolingual() ||
         options.target_vocabulary == options.vocabulary;
}

const fs::path& target_path(const PrepareOptions& options) {
  return options.target_vocabulary.empty() ? options.vocabulary : options.target_vocabulary;
}

Vocabularies load_vocabularies(const PrepareOptions& options) {
  const std::shared_ptr<const Tokenizer> target = load_tokenizer(target_path(options));
  if (share_vocabulary(options)) return {.source = target, .target = target};
  return {.source = load_tokenizer(options.vocabulary), .target = target};
}

// Copies the files into the folder under the names that `info` then has.
void copy_vocabularies(const PrepareOptions& options, const fs::path& folder,
                       DataFolderInfo& info) {
  const bool shared = share_vocabulary(options);
  info.source_vocabulary = shared ? "vocab.model" : "source.vocab.model";
  info.target_vocabulary = shared ? "vocab.model" : "target.vocab.model";
  write_file(folder / info.target_vocabulary, read_file(target_path(options)));
  if (!shared) write_file(folder / info.source_vocabulary, read_file(options.vocabulary));
}

std::vector<Trait> traits_of(const PrepareOptions& options) {
  std::vector<Trait> traits = program_traits();
  const auto add = [&](const char* name, const auto& value) {
    traits.push_back({name, fmt::format("{}", value)});
  };
  add("the checksum of --vocab", file_crc32_text(options.vocabulary));
  add("the checksum of --target-vocab", file_crc32_text(target_path(options)));
  add("--source", options.corpus.source_language);
  add("--target", options.corpus.target_language);
  add("the number of --valid", options.valid.size());
  add("the number of --test", options.test.size());
  add("--on-error", options.on_error == OnError::kSkip ? "skip" : "stop");
  add("--max-length", options.max_length);
  add("--max-ratio", options.max_ratio);
  add("--drop-identical", options.drop_identical);
  add("--drop-duplicates", options.drop_duplicates);
  return traits;
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

namespace {

// Once all ranks have what they need. Returns rank 0's reports.
std::vector<SplitReport> prepare_splits(const PrepareOptions& options,
                                        const Vocabularies& vocabularies,
                                        Communicator& communicator) {
  const bool leads = communicator.rank() == 0;
  std::optional<FolderWriter> folder;
  if (leads) folder.emplace(options.output);
  const fs::path path = leads ? folder->path() : fs::path();
  DataFolderInfo info;
  info.source_language = options.corpus.source_language;
  info.target_language = options.corpus.target_language;
  if (leads) copy_vocabularies(options, path, info);
  std::vector<SplitReport> reports;
  const auto add_split = [&](const internal::SplitTask& task, SplitCounts& counts) {
    if (task.corpora.empty()) return;
    reports.push_back(internal::prepare_split(task, options, *vocabularies.source,
                                              *vocabularies.target, communicator));
    counts = counts_of(reports.back());
  };
  add_split({.split = "train",
             .corpora = options.train,
             .filter = internal::training_filter(options),
             .drop_duplicates = options.drop_duplicates,
             .folder = path},
            info.train);
  for (const auto& [split, corpora, counts] : {std::tuple("valid", &options.valid, &info.valid),
                                               std::tuple("test", &options.test, &info.test)}) {
    add_split({.split = split,
               .corpora = *corpora,
               .filter = internal::evaluation_filter(options),
               .keep_source_text = options.keep_text && !options.corpus.monolingual(),
               .keep_target_text = true,
               .folder = path},
              *counts);
  }
  if (!leads) return {};
  write_data_folder_info(info, path);
  folder->commit();
  return reports;
}

}  // namespace

std::vector<SplitReport> prepare(const PrepareOptions& options, Communicator& communicator) {
  Vocabularies vocabularies;
  together(communicator, [&] {
    check_options(options);
    if (communicator.rank() == 0) require_replaceable(options.output);
    vocabularies = load_vocabularies(options);
  });
  std::vector<SplitReport> reports;
  leave_on_error(communicator, [&] {
    if (communicator.size() > 1) require_alike(communicator, traits_of(options));
    reports = prepare_splits(options, vocabularies, communicator);
    communicator.barrier(Patience::kWhileAlive);
  });
  return reports;
}

std::vector<SplitReport> prepare(const PrepareOptions& options) {
  SingleProcess alone;
  return prepare(options, alone);
}

}  // namespace skein
