// The adaptive softmax (Grave et al. 2017): a distribution over the words of the first band and one
// class for each other band, and within each of those bands another one. Training multiplies all
// rows by the head, and by a tail only those whose target is in its band.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skein/autograd/loss.h"
#include "skein/autograd/word_bands.h"

namespace skein {

struct AdaptiveWeights {
  struct Tail {
    Variable in;   // [width, features]
    Variable out;  // [words of the band, width]
  };
  WordBands bands;
  Variable head;            // [words of the first band + tails, features]: words, then classes
  std::vector<Tail> tails;  // one for each band but the first
  double dropout = 0;       // between a tail's two maps
};

// -log p(target) of features [n, c], summed over targets [n]. Dropout masks are drawn tail after
// tail, where any target is in it. Throws ShapeError for targets that are no words or not n.
Loss adaptive_cross_entropy(Tape& tape, const Variable& features, const AdaptiveWeights& weights,
                            std::span<const int32_t> targets);

// log p of every word, [n, vocabulary] f32. Row i depends on row i of the features alone, to the
// bit, where the weights are frozen.
Tensor adaptive_log_probabilities(const Tensor& features, const AdaptiveWeights& weights);

// log p of targets [n]; only their bands are computed.
std::vector<float> adaptive_target_log_probabilities(const Tensor& features,
                                                     const AdaptiveWeights& weights,
                                                     std::span<const int32_t> targets);

}  // namespace skein
