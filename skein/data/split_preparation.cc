#include "skein/data/split_preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/base/log.h"
#include "skein/base/parallel.h"
#include "skein/data/batch.h"
#include "skein/data/data_folder.h"
#include "skein/data/data_set_writer.h"
#include "skein/data/hash_set.h"
#include "skein/data/ordered_pipeline.h"

namespace skein::internal {
namespace {

// Large enough that threads seldom meet, small enough that all chunks in flight take some
// megabytes.
constexpr size_t kChunkPairs = 4096;
constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr int64_t kPairsBetweenReports = 1'000'000;
constexpr size_t kBadRecordsShown = 10;

// What goes through the pipeline.
struct Chunk {
  std::vector<Pair> pairs;
  std::vector<std::string> bad_records;
  std::map<std::string, int64_t> left_out;
  // Written by the workers, of the pairs that are kept:
  std::vector<uint32_t> kept;
  std::vector<uint64_t> hashes;  // with drop_duplicates
  PackedSequences source;
  PackedSequences target;
  VerdictCounts verdicts{};
};

// The corpora of the split one after another, in chunks.
class ChunkReader {
 public:
  ChunkReader(const std::vector<std::filesystem::path>& corpora, const PrepareOptions& options)
      : corpora_(corpora), options_(options) {}

  bool read(Chunk& chunk) {
    size_t bytes = 0;
    while (chunk.pairs.size() + chunk.bad_records.size() < kChunkPairs && bytes < kChunkBytes) {
      if (!reader_ && corpus_ == corpora_.size()) break;
      if (!reader_) reader_ = open_corpus(corpora_[corpus_++], options_.corpus);
      Pair pair;
      if (!next(pair, chunk)) {
        for (const auto& [cause, count] : reader_->left_out()) chunk.left_out[cause] += count;
        reader_.reset();
      } else if (!bad_) {
        bytes += pair.source.size() + pair.target.size();
        chunk.pairs.push_back(std::move(pair));
      }
    }
    return !chunk.pairs.empty() || !chunk.bad_records.empty() || !chunk.left_out.empty();
  }

 private:
  bool next(Pair& pair, Chunk& chunk) {
    bad_ = false;
    try {
      return reader_->next(pair);
    } catch (const RecordError& error) {
      if (options_.on_error == OnError::kStop) throw;
      bad_ = true;
      chunk.bad_records.emplace_back(error.what());
      return true;
    }
  }

  const std::vector<std::filesystem::path>& corpora_;
  const PrepareOptions& options_;
  size_t corpus_ = 0;
  std::unique_ptr<PairReader> reader_;
  bool bad_ = false;
};

class SplitPreparation {
 public:
  SplitPreparation(const SplitTask& task, const PrepareOptions& options, const Tokenizer& source,
                   const Tokenizer& target)
      : task_(task),
        source_(source),
        target_(target),
        reader_(task.corpora, options),
        writer_(data_set_path(task.folder, task.split),
                {.source = task.filter.monolingual ? 0 : source.vocabulary().size(),
                 .target = target.vocabulary().size()}) {
    if (task.keep_source_text) source_text_.emplace(source_text_path(task.folder, task.split));
    if (task.keep_target_text) target_text_.emplace(target_text_path(task.folder, task.split));
    report_.split = task.split;
  }

  SplitReport run() {
    OrderedPipeline<Chunk>::run(threads(),
                                {.produce = [this](Chunk& chunk) { return reader_.read(chunk); },
                                 .work = [this](Chunk& chunk) { encode(chunk); },
                                 .consume = [this](Chunk& chunk) { write(chunk); }});
    report_.left_out = task_.filter.in_words(verdicts_);
    report_.left_out.insert(report_.left_out.end(), left_out_.begin(), left_out_.end());
    if (report_.kept == 0) refuse_nothing();
    writer_.close();
    if (source_text_) source_text_->close();
    if (target_text_) target_text_->close();
    return report_;
  }

 private:
  void encode(Chunk& chunk) const {
    std::vector<int32_t> source;
    std::vector<int32_t> target;
    for (size_t i = 0; i < chunk.pairs.size(); ++i) {
      const Pair& pair = chunk.pairs[i];
      Verdict verdict = task_.filter.judge_text(pair);
      if (verdict == Verdict::kKept) {
        source.clear();
        target.clear();
        if (!task_.filter.monolingual) source_.encode(pair.source, source);
        target_.encode(pair.target, target);
        verdict = task_.filter.judge_lengths(source.size(), target.size());
      }
      if (verdict != Verdict::kKept) {
        ++chunk.verdicts[static_cast<size_t>(verdict)];
        continue;
      }
      chunk.kept.push_back(static_cast<uint32_t>(i));
      chunk.source.append(source);
      chunk.target.append(target);
      if (task_.drop_duplicates) {
        chunk.hashes.push_back(std::hash<std::string>{}(pair.source + '\n' + pair.target));
      }
    }
  }

  void write(const Chunk& chunk) {
    for (const std::string& fault : chunk.bad_records) {
      if (++bad_records_ <= kBadRecordsShown) log_warning(fault);
      if (bad_records_ == kBadRecordsShown + 1) log_warning("further bad records are only counted");
      ++left_out_["bad records"];
    }
    for (const auto& [cause, count] : chunk.left_out) left_out_[cause] += count;
    for (size_t i = 0; i < kVerdicts; ++i) verdicts_[i] += chunk.verdicts[i];
    for (size_t i = 0; i < chunk.kept.size(); ++i) {
      if (task_.drop_duplicates && !seen_.insert(chunk.hashes[i])) {
        ++verdicts_[static_cast<size_t>(Verdict::kDuplicate)];
        continue;
      }
      write_sample(chunk.source.sentence(i), chunk.target.sentence(i), chunk.pairs[chunk.kept[i]]);
    }
    const int64_t reports = report_.read / kPairsBetweenReports;
    report_.read += std::ssize(chunk.pairs) + std::ssize(chunk.bad_records);
    if (report_.read / kPairsBetweenReports != reports) {
      log_info(fmt::format("{}: {} read, {} kept", task_.split, report_.read, report_.kept));
    }
  }

  void write_sample(std::span<const int32_t> source, std::span<const int32_t> target,
                    const Pair& pair) {
    writer_.add(source, target);
    ++report_.kept;
    report_.source_tokens += std::ssize(source);
    report_.target_tokens += std::ssize(target);
    report_.unknown_tokens += std::count(source.begin(), source.end(), kUnkId);
    report_.unknown_tokens += std::count(target.begin(), target.end(), kUnkId);
    if (source_text_) source_text_->write(pair.source + '\n');
    if (target_text_) target_text_->write(pair.target + '\n');
  }

  [[noreturn]] void refuse_nothing() const {
    std::string names;
    for (const std::filesystem::path& corpus : task_.corpora) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", corpus.string());
    }
    if (report_.read == 0 && report_.left_out.empty()) {
      throw FormatError(fmt::format("{}: empty; the {} split needs text", names, task_.split));
    }
    throw FormatError(
        fmt::format("{}: nothing can be used; {}; look at the corpus or loosen the filters", names,
                    describe(report_)));
  }

  const SplitTask& task_;
  const Tokenizer& source_;
  const Tokenizer& target_;
  ChunkReader reader_;
  DataSetWriter writer_;
  std::optional<FileWriter> source_text_;
  std::optional<FileWriter> target_text_;
  HashSet seen_;
  SplitReport report_;
  VerdictCounts verdicts_{};
  std::map<std::string, int64_t> left_out_;
  size_t bad_records_ = 0;
};

}  // namespace

SplitReport prepare_split(const SplitTask& task, const PrepareOptions& options,
                          const Tokenizer& source, const Tokenizer& target) {
  return SplitPreparation(task, options, source, target).run();
}

}  // namespace skein::internal
