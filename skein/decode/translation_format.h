// Translations as lines of output.
#pragma once

#include <string>
#include <string_view>

#include "skein/decode/translator.h"

namespace skein {

enum class TranslationFormat {
  kText,       // one line a sentence: the best hypothesis
  kNBestText,  // one line a hypothesis: `number ||| text ||| score`; sentences are numbered from 0
  kJsonLines,  // one object a sentence
};

// What is known of one line of input.
struct TranslatedLine {
  int64_t number = 0;  // from 1
  std::string source;
  Translation translation;
  std::string error;  // why there is no translation; empty where there is one
};

// Appends the lines of one sentence, each with its line feed. In text, a line feed within a
// hypothesis becomes a space; a line that was skipped is empty, and not in an n-best list. JSON:
//   {"line": 1, "source": "...", "hypotheses": [{"text": "...", "score": -0.5, "tokens": ["..."],
//    "token_scores": [-0.5], "cut": true}], "error": "..."}
// best first; `score` is the sum of the natural log-probabilities `token_scores` divided by
// length^length_penalty; `cut` and `error` only where they apply.
void append_translation(const TranslatedLine& line, TranslationFormat format,
                        const Vocabulary& target, std::string& out);

}  // namespace skein
