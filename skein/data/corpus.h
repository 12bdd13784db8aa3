// Opens a corpus by its name, whatever its format.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "skein/data/pair_reader.h"

namespace skein {

struct CorpusOptions {
  std::string source_language = {};  // empty: monolingual
  std::string target_language = {};
  // TSV: columns from 1. 0: the first is the source and the second the target; monolingual: the
  // first.
  int source_column = 0;
  int target_column = 0;
  // JSON lines: keys, with dots into nested objects ("translation.en"). Empty: the first that fits
  // of translation.LANG, source and target, src and tgt, LANG; monolingual: "text".
  std::string source_key = {};
  std::string target_key = {};

  bool monolingual() const { return source_language.empty(); }
};

// `corpus` is a file (.tsv, .tmx, .po, .mo, .jsonl, each also .gz or .zst), or a prefix of
// line-aligned text: PREFIX.LANG or PREFIX.LANG.txt, also .gz or .zst. Monolingual: also a text
// file by its full name. Throws FileError with the names that were looked for if there is none.
std::unique_ptr<PairReader> open_corpus(const std::filesystem::path& corpus,
                                        const CorpusOptions& options);

}  // namespace skein
