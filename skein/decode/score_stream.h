// Scores two line-aligned texts, a source and its translation, as they come.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "skein/data/line_reader.h"
#include "skein/decode/on_bad_line.h"
#include "skein/models/model.h"
#include "skein/text/tokenizer.h"

namespace skein {

enum class ScoreFormat {
  kText,       // one number a pair: the log-probability of the translation in nats
  kJsonLines,  // one object a pair
};

struct ScoreOptions {
  ScoreFormat format = ScoreFormat::kText;
  OnBadLine on_bad_line = OnBadLine::kStop;
  int64_t batch_tokens = 4096;  // most source, and target, tokens of a batch
  int64_t window = 4096;        // pairs read at a time, at most
};

struct ScoreCounts {
  int64_t pairs = 0;
  int64_t skipped = 0;        // not UTF-8, or longer than the model's positions
  int64_t target_tokens = 0;  // of those scored, eos included
  double log_probability = 0;
};

// A model with what turns text into its tokens; all outlive the call.
struct ScoringModel {
  const Model& model;
  const Tokenizer& source;
  const Tokenizer& target;
};

// `write` gets the output of some pairs, in their order. JSON:
//   {"line": 1, "source": "...", "target": "...", "log_probability": -1.5, "tokens": ["..."],
//    "token_scores": [-0.5], "error": "..."}
// with `error` in place of the scores where a pair was skipped; in text that is `nan`. Throws
// FormatError if one text has more lines than the other (with both counts), FormatError with
// `file:line` for a bad line unless those are skipped, and what score_batch() throws; pairs before
// are written first.
ScoreCounts score_stream(LineReader& source, LineReader& target, const ScoringModel& model,
                         const ScoreOptions& options,
                         const std::function<void(std::string_view)>& write);

}  // namespace skein
