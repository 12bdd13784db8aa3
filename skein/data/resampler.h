// Subword regularisation: every time that a sentence is trained, its words are split at random
// (Kudo 2018; Provilkov et al. 2020).
#pragma once

#include <cstdint>
#include <vector>

#include "skein/base/random.h"
#include "skein/text/tokenizer.h"

namespace skein {

class Resampler {
 public:
  struct Side {
    const Tokenizer* tokenizer = nullptr;  // null: sentences stay as they are
    double alpha = 0;                      // as Tokenizer::resample() takes it
    int64_t longest = 0;                   // a split into more tokens is not taken; no end mark
  };

  Resampler() = default;
  // The tokenisers must outlive this object. Throws UsageError for an alpha that the type of the
  // tokeniser does not take, and for a type that has one split only.
  Resampler(const Side& source, const Side& target);

  bool active() const { return source_.tokenizer != nullptr || target_.tokenizer != nullptr; }
  // `tokens`: of a sentence, without end mark.
  void source(std::vector<int32_t>& tokens, Random& random) const;
  void target(std::vector<int32_t>& tokens, Random& random) const;

 private:
  Side source_;
  Side target_;
};

}  // namespace skein
