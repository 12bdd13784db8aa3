#include "skein/data/corpus_lines.h"

#include <fmt/format.h>

#include <utility>

#include "skein/base/error.h"
#include "skein/data/readers.h"

namespace skein {
namespace {

std::unique_ptr<PairReader> open(const std::filesystem::path& corpus,
                                 const CorpusOptions& options) {
  if (options.monolingual() && std::filesystem::is_directory(corpus)) {
    throw FileError(fmt::format("{} is a folder; name the files of text in it", corpus.string()));
  }
  // A name without a file is a missing file here, not a prefix.
  const bool missing = options.monolingual() && !std::filesystem::exists(corpus);
  return missing ? read_lines(LineReader(corpus)) : open_corpus(corpus, options);
}

}  // namespace

CorpusLines::CorpusLines(std::vector<std::filesystem::path> corpora, CorpusOptions options,
                         BadRecords bad_records)
    : corpora_(std::move(corpora)), options_(std::move(options)), bad_records_(bad_records) {}

bool CorpusLines::next(std::string& line) {
  if (!target_waits_) {
    if (!next_pair()) return false;
    target_waits_ = true;
    if (!options_.monolingual()) {
      line = std::move(pair_.source);
      ++lines_;
      return true;
    }
  }
  line = std::move(pair_.target);
  target_waits_ = false;
  ++lines_;
  return true;
}

bool CorpusLines::next_pair() {
  while (true) {
    if (reader_ == nullptr) {
      if (next_corpus_ == corpora_.size()) return false;
      reader_ = open(corpora_[next_corpus_++], options_);
    }
    try {
      if (reader_->next(pair_)) return true;
      reader_ = nullptr;
    } catch (const RecordError&) {
      if (bad_records_ == BadRecords::kRefuse) throw;
      ++skipped_;
    }
  }
}

}  // namespace skein
