// From text to prepared data: reads corpora, splits them into pieces by all threads, filters, and
// writes the folder that training reads. Memory does not grow with the corpus (with
// drop_duplicates: 24 bytes a pair).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "skein/comm/communicator.h"
#include "skein/data/corpus.h"

namespace skein {

enum class OnError {
  kStop,  // the first bad record ends the run with its place
  kSkip,  // bad records are counted and left out
};

struct PrepareOptions {
  CorpusOptions corpus = {};
  // Corpora of a split are read one after another; open_corpus() says what a name may be. Empty: no
  // such split.
  std::vector<std::filesystem::path> train = {};
  std::vector<std::filesystem::path> valid = {};
  std::vector<std::filesystem::path> test = {};
  std::filesystem::path vocabulary = {};
  std::filesystem::path target_vocabulary = {};  // empty: the same for both sides
  std::filesystem::path output = {};
  OnError on_error = OnError::kStop;
  // Filters of the training split; valid and test lose only pairs with an empty side.
  int64_t max_length = 1023;     // tokens of the longer side; the models' 1024 count the end mark
  double max_ratio = 0;          // longer side by shorter side, in tokens; 0: any
  bool drop_identical = false;   // source equal to target
  bool drop_duplicates = false;  // pairs that were there before, known by a 64-bit hash
  bool keep_text = false;        // valid and test keep the source's text too
};

struct SplitReport {
  std::string split;
  int64_t read = 0;
  int64_t kept = 0;
  int64_t source_tokens = 0;
  int64_t target_tokens = 0;
  int64_t unknown_tokens = 0;  // of both sides
  // In words, with what the files hold beside pairs: {"longer than 1023 tokens", 3}.
  std::vector<std::pair<std::string, int64_t>> left_out = {};
};

// One sentence with every count that is not 0.
std::string describe(const SplitReport& report);

// The folder appears whole or not at all, and is the same whatever the number of threads. Throws
// UsageError for options that contradict each other, FileError, and FormatError for a bad record or
// a split of which nothing can be used.
std::vector<SplitReport> prepare(const PrepareOptions& options);

// The same folder by several ranks, each of which has the corpora and vocabularies; rank 0 writes,
// and has the reports. Throws UsageError too where these, options or programs differ.
std::vector<SplitReport> prepare(const PrepareOptions& options, Communicator& communicator);

}  // namespace skein
