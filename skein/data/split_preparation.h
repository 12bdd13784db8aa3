// Prepares one split: corpora in, a data set and its report out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

// Throws FormatError if nothing of the corpora can be used, with the counts by cause.
SplitReport prepare_split(const SplitTask& task, const PrepareOptions& options,
                          const Tokenizer& source, const Tokenizer& target);

}  // namespace skein::internal
