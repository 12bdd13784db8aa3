// How a vocabulary is learned from text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "skein/text/normalize.h"

namespace skein {

// Puts the next line into its argument; false at the end of the text.
using LineSource = std::function<bool(std::string&)>;

struct LearnOptions {
  // All pieces with the special tokens and symbols; for word and char the most, for codes the
  // number of merges.
  int64_t size = 8000;
  Normalization normalization = Normalization::kNfc;
  // Pieces of the user's, such as `<2de>`, that stay whole: anywhere in the text for unigram, bpe
  // and char, as words for word and codes. No whitespace, commas or quotes.
  std::vector<std::string> symbols = {};

  // unigram, bpe: the part of all characters of the text that become pieces, 0.98 to 1. The rest is
  // unknown or, with byte_fallback, spelled in bytes.
  double character_coverage = 1.0;
  bool byte_fallback = false;
  // unigram, bpe: at most so many bytes of the text, a uniform sample of its lines, are learned
  // from. 0: what keeps learning below 1 GB. Text without spaces takes most memory: measured on
  // Japanese, 35 bytes a byte for bpe and 10 for unigram, hence 16 MB and 64 MB.
  int64_t sample_bytes = 0;
  uint64_t seed = 1;

  // word, char, codes: rarer pieces are left out.
  int64_t minimum_count = 1;
  // word, char, codes: so many distinct words (of char: characters) are counted, 100 bytes each;
  // Counter says what becomes of more.
  int64_t max_counted = int64_t{4} << 20;

  // codes: the content of a codes file of fastBPE or subword-nmt, and its name for errors. Empty:
  // learn the codes from the text.
  std::string codes = {};
  std::string codes_origin = {};
};

}  // namespace skein
