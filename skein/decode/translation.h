// What a translator finds for a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "skein/decode/hypothesis.h"
#include "skein/decode/reranker.h"
#include "skein/decode/source_text.h"
#include "skein/decode/word_alignment.h"

namespace skein {

// Of what is aligned, as the tokenisers number them.
struct WordCounts {
  int32_t source = 0;
  int32_t target = 0;
};

struct TranslatedText {
  std::string text;
  Hypothesis search;  // of a line in parts: their tokens one after another, each part with its eos
  std::vector<WordPair> alignment = {};       // if it was asked for
  WordCounts words = {};                      // then, too
  std::optional<ChannelScores> channel = {};  // if the hypotheses were reranked
};

struct Translation {
  // Best first; exactly one, without text, for a line without content.
  std::vector<TranslatedText> hypotheses = {};
  bool constraints_left_out = false;  // no hypothesis could meet them
  std::string error = {};             // why there are no hypotheses; empty where there are
};

// A part of a line, how it is searched for, and what was found, best first.
struct TranslatedPart {
  const SourcePart* source = nullptr;
  SearchOptions options = {};
  std::vector<TranslatedText> found = {};
  bool constraints_left_out = false;
};

}  // namespace skein
