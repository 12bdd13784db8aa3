// The convolutions of Wu et al. 2019 once more, in double precision and plain loops, from their
// equations.
#pragma once

#include "plain_functions.h"

namespace skein::plain {

// Softmax over each `taps` columns of a row.
inline Matrix tap_softmax(int64_t taps, Matrix scores) {
  for (int64_t r = 0; r < scores.rows; ++r) {
    for (int64_t first = 0; first < scores.columns; first += taps) {
      double sum = 0;
      for (int64_t k = first; k < first + taps; ++k) sum += std::exp(scores(r, k));
      for (int64_t k = first; k < first + taps; ++k) scores(r, k) = std::exp(scores(r, k)) / sum;
    }
  }
  return scores;
}

struct LightConvolution {
  std::span<const int32_t> offsets;
  int64_t width = 1;
  int64_t left = 0;
  int64_t heads = 1;
};

// y(t, i) = sum over k of weights(t, head of i, k) x(t - left + k, i) within the sentence; one row
// of weights is that of all tokens.
inline Matrix light_convolution(const LightConvolution& window, const Matrix& weights,
                                const Matrix& x) {
  Matrix y(x.rows, x.columns);
  const int64_t channels = x.columns / window.heads;
  for (size_t s = 0; s + 1 < window.offsets.size(); ++s) {
    const int64_t begin = window.offsets[s], end = window.offsets[s + 1];
    for (int64_t t = begin; t < end; ++t) {
      for (int64_t i = 0; i < x.columns; ++i) {
        for (int64_t k = 0; k < window.width; ++k) {
          const int64_t row = t - window.left + k;
          if (row < begin || row >= end) continue;
          y(t, i) +=
              weights(weights.rows == 1 ? 0 : t, i / channels * window.width + k) * x(row, i);
        }
      }
    }
  }
  return y;
}

}  // namespace skein::plain
