// Prepares one split: corpora in, a data set and its report out. Several ranks read all of the
// corpora; each splits a part of the sentences into pieces, and rank 0 writes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "skein/comm/communicator.h"
#include "skein/data/pair_filter.h"
#include "skein/data/prepare.h"
#include "skein/text/tokenizer.h"

namespace skein::internal {

struct SplitTask {
  std::string split = {};
  std::vector<std::filesystem::path> corpora = {};
  PairFilter filter = {};
  bool drop_duplicates = false;
  bool keep_source_text = false;
  bool keep_target_text = false;
  std::filesystem::path folder = {};
};

// The report is rank 0's; the others' is empty. Throws FormatError, on rank 0, if nothing of the
// corpora can be used, with the counts by cause.
SplitReport prepare_split(const SplitTask& task, const PrepareOptions& options,
                          const Tokenizer& source, const Tokenizer& target,
                          Communicator& communicator);

}  // namespace skein::internal
