// Byte-pair codes as subword-nmt and fastBPE write them (Sennrich et al. 2016): a list of merges,
// earliest first, applied to the characters of a word; `</w>` marks its end.
//
//   #version: 0.2
//   t h
//   th e</w>
//
// Without the first line, two columns are subword-nmt's version 0.1, in which the end of word is a
// symbol of its own; three columns are fastBPE's, which counts like 0.2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "skein/base/random.h"

namespace skein {

class BpeCodes {
 public:
  // Throws FormatError that begins with origin:line.
  static BpeCodes parse(std::string_view content, const std::string& origin);

  // A part of a word, and the symbol of the codes that it is.
  struct Part {
    std::string_view text;
    int32_t symbol;  // -1: a character that the codes do not have
  };

  // The parts of `word` in order; their texts put together are the word. Merges are left out with
  // probability `dropout`, for which `random` must be given if it is not 0. `word`: well-formed
  // UTF-8, not empty.
  std::vector<Part> split(std::string_view word, double dropout = 0,
                          Random* random = nullptr) const;

  // The two parts that were merged into `part` last. False if it is a single character.
  bool unmerge(const Part& part, Part& left, Part& right) const;

 private:
  struct Merge {
    int32_t rank;
    int32_t result;
  };

  int32_t intern(const std::string& symbol);
  void add_merge(const std::string& left, const std::string& right);
  const Merge* find_merge(const Part& left, const Part& right) const;

  bool end_is_a_symbol_ = false;  // version 0.1
  std::unordered_map<std::string, int32_t> symbols_;
  std::vector<size_t> text_lengths_;                      // by symbol: bytes without </w>
  std::vector<std::pair<int32_t, int32_t>> merged_from_;  // by symbol; -1 for characters
  std::unordered_map<uint64_t, Merge> merges_;            // by left symbol << 32 | right symbol
};

}  // namespace skein
