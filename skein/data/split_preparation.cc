#include "skein/data/split_preparation.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/base/log.h"
#include "skein/base/packed_bytes.h"
#include "skein/base/parallel.h"
#include "skein/data/batch.h"
#include "skein/data/data_folder.h"
#include "skein/data/data_set_writer.h"
#include "skein/data/hash_set.h"
#include "skein/data/ordered_pipeline.h"
#include "skein/data/shared_text.h"

namespace skein::internal {
namespace {

// Large enough that threads seldom meet, small enough that all chunks in flight take some
// megabytes.
constexpr size_t kChunkPairs = 4096;
constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr int64_t kPairsBetweenReports = 1'000'000;
constexpr size_t kBadRecordsShown = 10;

// A part of the text.
struct Chunk {
  std::vector<Pair> pairs;
  std::vector<std::string> bad_records;
  std::map<std::string, int64_t> left_out;
  int64_t read = 0;  // pairs, of which those of other ranks' chunks may be dropped
  // Written by the workers, of the pairs that are kept:
  std::vector<uint32_t> kept;
  std::vector<uint64_t> hashes;  // with drop_duplicates
  PackedSequences source;
  PackedSequences target;
  VerdictCounts verdicts{};
};

// What goes through the pipeline: a chunk for every rank.
struct Round {
  std::vector<Chunk> chunks;  // by rank
  std::string text;           // TextRead of all so far
  std::exception_ptr error;
};

std::string packed_result(const Chunk& chunk) {
  PackedBytes bytes;
  bytes.add_numbers(chunk.kept);
  bytes.add_numbers(chunk.hashes);
  for (const PackedSequences* side : {&chunk.source, &chunk.target}) {
    bytes.add_numbers(side->tokens);
    bytes.add_numbers(side->offsets);
  }
  for (const int64_t count : chunk.verdicts) bytes.add_number(count);
  return bytes.take();
}

void take_result(std::string_view bytes, Chunk& chunk) {
  PackedBytesReader reader(bytes);
  chunk.kept = reader.numbers<uint32_t>();
  chunk.hashes = reader.numbers<uint64_t>();
  for (PackedSequences* side : {&chunk.source, &chunk.target}) {
    side->tokens = reader.numbers<int32_t>();
    side->offsets = reader.numbers<int32_t>();
  }
  for (int64_t& count : chunk.verdicts) count = reader.number<int64_t>();
}

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
        ++chunk.read;
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
                   const Tokenizer& target, Communicator& communicator)
      : task_(task),
        source_(source),
        target_(target),
        communicator_(communicator),
        reader_(task.corpora, options) {
    report_.split = task.split;
    if (!leads()) return;
    writer_.emplace(data_set_path(task.folder, task.split),
                    DataSetWriter::VocabularySizes{
                        .source = task.filter.monolingual ? 0 : source.vocabulary().size(),
                        .target = target.vocabulary().size()});
    if (task.keep_source_text) source_text_.emplace(source_text_path(task.folder, task.split));
    if (task.keep_target_text) target_text_.emplace(target_text_path(task.folder, task.split));
  }

  SplitReport run() {
    OrderedPipeline<Round>::run(threads(), {.produce = [this](Round& round) { return read(round); },
                                            .work = [this](Round& round) { encode(round); },
                                            .consume = [this](Round& round) { write(round); }});
    if (!leads()) return report_;
    report_.left_out = task_.filter.in_words(verdicts_);
    report_.left_out.insert(report_.left_out.end(), left_out_.begin(), left_out_.end());
    if (report_.kept == 0) refuse_nothing();
    writer_->close();
    if (source_text_) source_text_->close();
    if (target_text_) target_text_->close();
    return report_;
  }

 private:
  bool alone() const { return communicator_.size() == 1; }
  bool leads() const { return communicator_.rank() == 0; }

  // Several ranks end with a round without text, so that one whose corpora are longer is found out.
  bool read(Round& round) {
    if (ended_) return false;
    round.chunks.resize(static_cast<size_t>(communicator_.size()));
    try {
      for (int rank = 0; rank < communicator_.size() && !ended_; ++rank) {
        Chunk& chunk = round.chunks[static_cast<size_t>(rank)];
        ended_ = !reader_.read(chunk);
        if (!alone()) note_and_drop(chunk, rank);
      }
    } catch (...) {
      if (alone()) throw;
      round.error = std::current_exception();
      ended_ = true;
    }
    round.text = text_.describe();
    return !alone() || !ended_;
  }

  // Of another rank's chunk only its text may be needed.
  void note_and_drop(Chunk& chunk, int rank) {
    for (const Pair& pair : chunk.pairs) {
      text_.add(pair.source);
      text_.add(pair.target);
    }
    const bool writes_text = leads() && (source_text_ || target_text_);
    if (rank != communicator_.rank() && !writes_text) chunk.pairs.clear();
  }

  void encode(Round& round) const {
    if (alone()) return encode(round.chunks[0]);
    if (round.error) return;
    try {
      encode(round.chunks[static_cast<size_t>(communicator_.rank())]);
    } catch (...) {
      round.error = std::current_exception();
    }
  }

  void write(Round& round) {
    if (!alone()) exchange(round);
    if (!leads()) return;
    for (const Chunk& chunk : round.chunks) write(chunk);
  }

  // Rank 0 gets what the others made of their chunks.
  void exchange(Round& round) {
    end_round(communicator_, round.error, "the " + task_.split + " split", round.text);
    const auto own = static_cast<size_t>(communicator_.rank());
    const Gathered all = communicator_.gather(leads() ? "" : packed_result(round.chunks[own]));
    for (size_t rank = 1; rank < all.size(); ++rank) take_result(all[rank], round.chunks[rank]);
  }

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
      write_sample(chunk.source.sentence(i), chunk.target.sentence(i));
      if (source_text_) source_text_->write(chunk.pairs[chunk.kept[i]].source + '\n');
      if (target_text_) target_text_->write(chunk.pairs[chunk.kept[i]].target + '\n');
    }
    const int64_t reports = report_.read / kPairsBetweenReports;
    report_.read += chunk.read + std::ssize(chunk.bad_records);
    if (report_.read / kPairsBetweenReports != reports) {
      log_info(fmt::format("{}: {} read, {} kept", task_.split, report_.read, report_.kept));
    }
  }

  void write_sample(std::span<const int32_t> source, std::span<const int32_t> target) {
    writer_->add(source, target);
    ++report_.kept;
    report_.source_tokens += std::ssize(source);
    report_.target_tokens += std::ssize(target);
    report_.unknown_tokens += std::count(source.begin(), source.end(), kUnkId);
    report_.unknown_tokens += std::count(target.begin(), target.end(), kUnkId);
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
  Communicator& communicator_;
  ChunkReader reader_;
  TextRead text_;
  bool ended_ = false;
  // These rank 0 alone has.
  std::optional<DataSetWriter> writer_;
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
                          const Tokenizer& source, const Tokenizer& target,
                          Communicator& communicator) {
  return SplitPreparation(task, options, source, target, communicator).run();
}

}  // namespace skein::internal
