// A vocabulary in bands, its most frequent words first (ids fall in frequency): what adaptive
// softmax and adaptive input give fewer columns the rarer a word is. Grave et al. 2017; Baevski &
// Auli 2019.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skein {

class WordBands {
 public:
  // ends[b]: the first id behind band b; the last is the size of the vocabulary. Throws ShapeError
  // unless they ascend from at least 1.
  explicit WordBands(std::vector<int64_t> ends);

  size_t count() const { return ends_.size(); }
  int64_t vocabulary() const { return ends_.back(); }
  int64_t first(size_t band) const { return band == 0 ? 0 : ends_[band - 1]; }
  int64_t words(size_t band) const { return ends_[band] - first(band); }

  // The tokens of one band.
  struct Members {
    std::vector<int32_t> rows;   // where they are among all
    std::vector<int32_t> words;  // counted from the band's first
  };
  // One for each band. Throws ShapeError for an id outside the vocabulary.
  std::vector<Members> split(std::span<const int32_t> ids) const;

 private:
  std::vector<int64_t> ends_;
};

}  // namespace skein
