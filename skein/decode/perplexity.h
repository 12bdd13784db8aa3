// How well a language model predicts a text.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>

#include "skein/data/line_reader.h"
#include "skein/decode/on_bad_line.h"
#include "skein/models/model.h"
#include "skein/text/tokenizer.h"

namespace skein {

struct PerplexityOptions {
  // 0: each line by itself. Else the text is one stream of tokens, in which every line ends in eos,
  // and is read in windows of so many tokens.
  int64_t context = 0;
  // How far windows are apart: of each but the first, the last `stride` tokens count, and those
  // before are context only. 0: as far as they are long.
  int64_t stride = 0;
  OnBadLine on_bad_line = OnBadLine::kStop;
  int64_t batch_tokens = 4096;
  int64_t tokens_at_once = int64_t{1} << 18;  // that are collected before they are scored together
};

struct PerplexityCounts {
  int64_t lines = 0;
  int64_t skipped = 0;         // lines that are not UTF-8, or longer than the model's positions
  int64_t tokens = 0;          // that were predicted, the ends of lines included
  int64_t words = 0;           // white space apart, and one for the end of each line
  int64_t unknown = 0;         // tokens that are not in the vocabulary
  double log_probability = 0;  // of all tokens, in nats

  // Infinite where it is beyond the largest double.
  double per_token() const { return std::exp(-log_probability / static_cast<double>(tokens)); }
  double per_word() const { return std::exp(-log_probability / static_cast<double>(words)); }
};

// `progress`, if any, is called now and then. Throws UsageError for a model that translates or
// options out of range, FormatError with file:line for a bad line unless those are skipped, and
// what the reader and score_batch() throw.
PerplexityCounts perplexity(LineReader& lines, const Model& model, const Tokenizer& tokenizer,
                            const PerplexityOptions& options,
                            const std::function<void(const PerplexityCounts&)>& progress = {});

}  // namespace skein
