// A vocabulary of the most frequent pieces.
#pragma once

#include <string>

#include "skein/text/counter.h"
#include "skein/text/learn_options.h"
#include "skein/text/vocabulary_file.h"

namespace skein {

// options.symbols, then the most frequent pieces of `counter` that occur options.minimum_count
// times, until the vocabulary has options.size entries. Throws UsageError if that leaves no piece.
VocabularyFile counted_vocabulary(const std::string& type, const LearnOptions& options,
                                  const Counter& counter);

}  // namespace skein
