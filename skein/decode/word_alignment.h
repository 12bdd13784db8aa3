// Alignments of words, in the form that is named after the decoder Pharaoh (Koehn 2004): 0-0 1-2.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skein/text/tokenizer.h"

namespace skein {

struct WordPair {
  int32_t source = 0;
  int32_t target = 0;
  bool operator==(const WordPair& other) const = default;
};

// The word of each token of a translation; -1: none, as for the end of the sentence.
std::vector<int32_t> target_words(std::span<const int32_t> tokens, const Tokenizer& tokenizer);

// A source and a target word are a pair if any token of the target word is aligned with a token of
// the source word. source_words, target_words: the word of each token, -1: none. aligned: for each
// target token its source token, -1: none. In the order of target words, each pair once.
std::vector<WordPair> word_pairs(std::span<const int32_t> source_words,
                                 std::span<const int32_t> target_words,
                                 std::span<const int32_t> aligned);

// "0-0 1-2": source word, target word.
std::string pharaoh_text(std::span<const WordPair> pairs);

}  // namespace skein
