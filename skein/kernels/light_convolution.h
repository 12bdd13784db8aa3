// Convolutions of Wu et al. 2019: every channel by itself, with one weight a tap for a whole head
// of channels; the same weights for all rows (lightweight) or others for every row (dynamic).
#pragma once

#include <cstdint>

#include "skein/kernels/convolution.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

// Channels are divided into heads side by side. A weight tensor has `heads` * window.width columns,
// the taps of a head side by side in the order of the rows of a window, and one row for all tokens
// or one for each; f32 or bf16. Every function throws ShapeError for extents that do not fit.
struct LightWindow {
  Window window;
  int64_t heads = 1;
};

// y [n, c]: y[t, i] = sum over taps k of weights[t, head of i, k] * x[t - left + k, i], rows
// outside t's sentence being zero (eq. 3 and 4). Each f32 or bf16, sums are f32.
void light_convolution(const LightWindow& window, const Tensor& weights, const Tensor& x,
                       Tensor& y);
// dx [n, c] = its gradient from dy, or += with `accumulate`.
void light_convolution_input_gradient(const LightWindow& window, const Tensor& weights,
                                      const Tensor& dy, Tensor& dx, bool accumulate);
// d_weights: one row for each token, or one for every `rows` tokens, which is their sum. The order
// of the sums does not depend on the number of threads.
void light_convolution_weight_gradient(const LightWindow& window, int64_t rows, const Tensor& x,
                                       const Tensor& dy, Tensor& d_weights);
// y [n, c] of windows [n, width * c] that are given whole, as they are when tokens come one by one.
void light_convolution_of_windows(int64_t heads, const Tensor& weights, const Tensor& windows,
                                  Tensor& y);

// weights = softmax over each `taps` columns of scores; same shape, each f32 or bf16.
void tap_softmax(int64_t taps, const Tensor& scores, Tensor& weights);
void tap_softmax_gradient(int64_t taps, const Tensor& weights, const Tensor& d_weights,
                          Tensor& d_scores);

}  // namespace skein::kernels
