// All text of several corpora, line by line: what a vocabulary is learned from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "skein/data/corpus.h"

namespace skein {

enum class BadRecords { kRefuse, kSkip };

class CorpusLines {
 public:
  // Monolingual options: every file is one text. Otherwise each corpus gives both its sides, the
  // source before the target of each pair.
  CorpusLines(std::vector<std::filesystem::path> corpora, CorpusOptions options,
              BadRecords bad_records);

  // Throws what open_corpus() and PairReader::next() throw; RecordError only under kRefuse.
  bool next(std::string& line);

  int64_t lines() const { return lines_; }
  int64_t skipped() const { return skipped_; }  // bad records

 private:
  bool next_pair();

  std::vector<std::filesystem::path> corpora_;
  CorpusOptions options_;
  BadRecords bad_records_;
  size_t next_corpus_ = 0;
  std::unique_ptr<PairReader> reader_;
  Pair pair_;
  bool target_waits_ = false;
  int64_t lines_ = 0;
  int64_t skipped_ = 0;
};

}  // namespace skein
