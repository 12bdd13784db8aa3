// A vocabulary from corpora, by one process or by several.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "skein/comm/communicator.h"
#include "skein/data/corpus_lines.h"
#include "skein/text/tokenizers.h"

namespace skein {

struct VocabularyText {
  std::vector<std::filesystem::path> corpora = {};
  CorpusOptions options = {};
  BadRecords bad_records = BadRecords::kRefuse;
};

struct LearnedVocabulary {
  std::unique_ptr<Tokenizer> tokenizer;  // on rank 0; null on the others
  int64_t lines = 0;
  int64_t skipped = 0;  // bad records
};

// The same to the bit for any number of ranks, all of which read the text and normalise, count or
// sample a part of it; where that cannot give the same (a plug-in's tokeniser, say, or more
// distinct words than LearnOptions::max_counted), rank 0 alone does it. Throws what
// learn_tokenizer() and CorpusLines do; UsageError if the ranks' text, options or programs differ.
LearnedVocabulary learn_vocabulary(const std::string& type, const LearnOptions& options,
                                   const VocabularyText& text, Communicator& communicator);

}  // namespace skein
