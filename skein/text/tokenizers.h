// Tokenisers by name: learning one from text, and reading back what was learned.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "skein/base/registry.h"
#include "skein/text/learn_options.h"
#include "skein/text/text_summary.h"
#include "skein/text/tokenizer.h"

namespace skein {

struct TokenizerKind {
  // Lines are UTF-8 and normalised as the options ask.
  std::function<std::unique_ptr<Tokenizer>(const LearnOptions&, const LineSource&)> learn;
  // `content` of the file `origin`, which Tokenizer::serialize() wrote.
  std::function<std::unique_ptr<Tokenizer>(std::string_view content, const std::string& origin)>
      load;
  // Where it learns from a summary of the text, that of no lines yet, so that several processes can
  // read for it; empty where not.
  std::function<std::unique_ptr<TextSummary>(const LearnOptions&)> summarize = {};
};

// unigram, bpe, word, char, codes, and what plug-ins add.
Registry<TokenizerKind>& tokenizers();

// Throws UsageError for an unknown type, options out of range, text without content or a size that
// does not fit the text; FormatError for a line that is not UTF-8.
std::unique_ptr<Tokenizer> learn_tokenizer(const std::string& type, const LearnOptions& options,
                                           const LineSource& lines);

// For several processes, each with a part of the text: null where that tokeniser cannot. Throws
// UsageError as above.
std::unique_ptr<TextSummary> start_summary(const std::string& type, const LearnOptions& options);
// As the lines of a summary must be. Throws FormatError.
std::string normalized_line(std::string_view line, const LearnOptions& options);

// Recognises SentencePiece models (ours and others') and the text form (vocabulary_file.h).
// Throws FileError or FormatError.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& path);

}  // namespace skein
