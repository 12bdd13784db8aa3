#include "skein/data/learn_vocabulary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <utility>

#include "skein/base/checksum.h"
#include "skein/comm/agreement.h"
#include "skein/data/shared_text.h"

namespace skein {
namespace {

// Long enough that a round's messages do not count.
constexpr size_t kPartBytes = size_t{1} << 20;

LearnedVocabulary learn_alone(const std::string& type, const LearnOptions& options,
                              const VocabularyText& text) {
  CorpusLines lines(text.corpora, text.options, text.bad_records);
  std::unique_ptr<Tokenizer> tokenizer =
      learn_tokenizer(type, options, [&lines](std::string& line) { return lines.next(line); });
  return {.tokenizer = std::move(tokenizer), .lines = lines.lines(), .skipped = lines.skipped()};
}

std::vector<Trait> traits_of(const std::string& type, const LearnOptions& options) {
  std::vector<Trait> traits = program_traits();
  traits.push_back({"--type", type});
  traits.push_back({"--size", std::to_string(options.size)});
  traits.push_back({"--normalization", normalization_name(options.normalization)});
  traits.push_back({"--symbol", fmt::format("{}", fmt::join(options.symbols, ","))});
  traits.push_back({"--sample-bytes", std::to_string(options.sample_bytes)});
  traits.push_back({"--seed", std::to_string(options.seed)});
  traits.push_back({"the checksum of --codes", crc32_text(options.codes)});
  return traits;
}

// Reads the text in rounds, in each of which every rank's summary takes one part.
class SharedSummary {
 public:
  SharedSummary(TextSummary& summary, const LearnOptions& options, const VocabularyText& text,
                Communicator& communicator)
      : summary_(summary),
        options_(options),
        communicator_(communicator),
        lines_(text.corpora, text.options, text.bad_records) {}

  void read_all() {
    for (bool more = true; more;) {
      std::exception_ptr error;
      try {
        more = read_round();
      } catch (...) {
        error = std::current_exception();
      }
      internal::end_round(communicator_, error, "--input", read_.describe());
      place();
    }
  }

  const CorpusLines& lines() const { return lines_; }

 private:
  // False at the end of the text.
  bool read_round() {
    for (int rank = 0; rank < communicator_.size(); ++rank) {
      std::string line;
      for (size_t bytes = 0; bytes < kPartBytes; bytes += line.size() + 1) {
        if (!lines_.next(line)) return false;
        read_.add(line);
        if (rank == communicator_.rank()) summary_.add(normalized_line(line, options_));
      }
    }
    return true;
  }

  void place() {
    const Gathered waiting = communicator_.all_gather(std::to_string(summary_.waiting()));
    int64_t before = 0, after = 0;
    for (int rank = 0; rank < communicator_.size(); ++rank) {
      const int64_t count = std::stoll(waiting[static_cast<size_t>(rank)]);
      if (rank < communicator_.rank()) before += count;
      if (rank > communicator_.rank()) after += count;
    }
    summary_.place(before, after);
  }

  TextSummary& summary_;
  const LearnOptions& options_;
  Communicator& communicator_;
  CorpusLines lines_;
  internal::TextRead read_;
};

// On rank 0 `summary` becomes that of all; false if it is not what one process had made.
bool collect(TextSummary& summary, Communicator& communicator) {
  const std::string exact = summary.exact() ? "1" : "0";
  for (const std::string& each : communicator.all_gather(exact)) {
    if (each != "1") return false;
  }
  const bool root = communicator.rank() == 0;
  const Gathered all = communicator.gather(root ? "" : summary.packed());
  for (size_t rank = 1; rank < all.size(); ++rank) summary.add_packed(all[rank]);
  return summary.exact();
}

}  // namespace

LearnedVocabulary learn_vocabulary(const std::string& type, const LearnOptions& options,
                                   const VocabularyText& text, Communicator& communicator) {
  if (communicator.size() == 1) return learn_alone(type, options, text);
  std::unique_ptr<TextSummary> summary;
  together(communicator, [&] { summary = start_summary(type, options); });
  LearnedVocabulary learned;
  leave_on_error(communicator, [&] {
    require_alike(communicator, traits_of(type, options));
    if (summary) {
      SharedSummary shared(*summary, options, text, communicator);
      shared.read_all();
      learned.lines = shared.lines().lines();
      learned.skipped = shared.lines().skipped();
      if (!collect(*summary, communicator)) summary.reset();
    }
    if (communicator.rank() == 0) {
      if (summary) {
        learned.tokenizer = summary->learn();
      } else {
        learned = learn_alone(type, options, text);
      }
    }
    communicator.barrier(Patience::kWhileAlive);
  });
  return learned;
}

}  // namespace skein
