// Random splits of text into the pieces of a subword model, for training that sees words in many
// forms.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "skein/base/random.h"
#include "skein/text/vocabulary.h"

namespace skein {

class SplitSampler {
 public:
  // `scores`: by id; of a unigram model log-probabilities, of a BPE model higher for earlier
  // merges. Pieces whose `splittable` is false take no part. `vocabulary` must outlive this object.
  SplitSampler(const Vocabulary& vocabulary, std::vector<float> scores,
               std::vector<bool> splittable);

  bool splittable(int32_t id) const { return splittable_[static_cast<size_t>(id)]; }

  // Appends a split drawn with probability proportional to P(split)^alpha among all splits of
  // `text`, by forward filtering and backward sampling (Kudo 2018, section 3.3, with l = infinity).
  // `text` must have a split.
  void sample_unigram(std::string_view text, double alpha, Random& random,
                      std::vector<int32_t>& ids) const;

  // Appends what merging the characters of `text` gives when every possible merge is left out with
  // probability `dropout` at each step (Provilkov et al. 2020, algorithm 1).
  void sample_bpe(std::string_view text, double dropout, Random& random,
                  std::vector<int32_t>& ids) const;

 private:
  int32_t find(std::string_view piece) const;

  const Vocabulary& vocabulary_;
  std::vector<float> scores_;
  std::vector<bool> splittable_;
  size_t longest_ = 0;  // bytes of the longest piece that takes part
};

}  // namespace skein
