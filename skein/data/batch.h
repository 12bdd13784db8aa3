// A batch without padding: the concatenation of its sentences and where each begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skein {

struct PackedSequences {
  std::vector<int32_t> tokens;   // [tokens], sentence after sentence
  std::vector<int32_t> offsets;  // [sentences + 1], from 0 to tokens.size(); empty: no sentences

  size_t sentences() const { return offsets.empty() ? 0 : offsets.size() - 1; }

  std::span<const int32_t> sentence(size_t index) const {
    const auto begin = static_cast<size_t>(offsets[index]);
    const auto end = static_cast<size_t>(offsets[index + 1]);
    return std::span(tokens).subspan(begin, end - begin);
  }

  void append(std::span<const int32_t> sentence) {
    if (offsets.empty()) offsets.push_back(0);
    tokens.insert(tokens.end(), sentence.begin(), sentence.end());
    offsets.push_back(static_cast<int32_t>(tokens.size()));
  }
};

// Sample i is sentence i of every member. Monolingual: `source` is empty.
struct Batch {
  PackedSequences source;  // each w1..wn, eos
  PackedSequences
      target_input;        // each eos, w1..wn (the decoder's start symbol is eos, as in fairseq)
  PackedSequences target;  // each w1..wn, eos: position t is predicted from target_input up to t
  std::vector<int64_t> sample_ids;  // [sentences], the sample's number in its data set
};

}  // namespace skein
