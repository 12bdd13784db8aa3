// Translations as lines of output.
#pragma once

#include <string>

#include "skein/decode/source_line.h"
#include "skein/decode/translation.h"
#include "skein/text/vocabulary.h"

namespace skein {

enum class TranslationFormat {
  kText,       // one line a sentence: the best hypothesis
  kNBestText,  // one line a hypothesis: `number ||| text ||| score`; sentences are numbered from 0
  kJsonLines,  // one object a sentence
};

struct TranslatedLine {
  SourceLine source;
  Translation translation;
};

struct TranslationStyle {
  TranslationFormat format = TranslationFormat::kText;
  bool alignment = false;  // of words is written too; in text ` ||| 0-0 1-2` behind all else
  const char* source_key = "source";  // in JSON
};

// `text` with spaces in place of line feeds.
std::string on_one_line(std::string text);

// Appends the lines of one sentence, each with its line feed. In text, a line feed within a
// hypothesis becomes a space; a line that was skipped is empty, and not in an n-best list. JSON:
//   {"line": 1, "source": "...", "hypotheses": [{"text": "...", "score": -0.5, "tokens": ["..."],
//    "token_scores": [-0.5], "cut": true, "alignment": [[0, 0]], "direct_score": -0.5,
//    "channel_score": -0.5, "language_score": -0.5}], "constraints_left_out": true, "error": "..."}
// best first; `score` is the sum of the natural log-probabilities `token_scores` divided by
// length^length_penalty, or what reranking made of it; `cut` and what follows only where they
// apply, and no score that is not finite.
void append_translation(const TranslatedLine& line, const TranslationStyle& style,
                        const Vocabulary& target, std::string& out);

}  // namespace skein
