#include "skein/decode/hypothesis.h"

#include <cmath>
#include <numeric>

namespace skein {

double score_of(double sum, size_t length, const SearchOptions& options) {
  if (!options.normalize) return sum;
  return sum / std::pow(static_cast<double>(length), options.length_penalty);
}

void append(const Hypothesis& next, const SearchOptions& options, Hypothesis& hypothesis) {
  hypothesis.tokens.insert(hypothesis.tokens.end(), next.tokens.begin(), next.tokens.end());
  hypothesis.token_scores.insert(hypothesis.token_scores.end(), next.token_scores.begin(),
                                 next.token_scores.end());
  const double sum =
      std::accumulate(hypothesis.token_scores.begin(), hypothesis.token_scores.end(), 0.0);
  hypothesis.score = score_of(sum, hypothesis.tokens.size(), options);
  hypothesis.cut = hypothesis.cut || next.cut;
}

}  // namespace skein
