// Differentiable convolutions with one weight a tap for a head of channels (Wu et al. 2019); the
// conventions are those of functions.h.
#pragma once

#include "skein/autograd/tape.h"
#include "skein/autograd/variable.h"
#include "skein/kernels/light_convolution.h"

namespace skein {

struct LightConvolutionOptions {
  int64_t heads = 1;
  bool softmax = true;  // over the taps of a head
  double dropout = 0;   // of the weights, after the softmax: DropConnect (Wan et al. 2013)
};

// x [n, c] → [n, c]; scores [heads, window.width] f32, a parameter: the weights of every token
// before the softmax. Section 3 of the paper.
Variable light_convolution(Tape& tape, const Variable& x, const Variable& scores,
                           const kernels::Window& window, const LightConvolutionOptions& options);

// The same with scores [n, heads * window.width] of every token. Section 4.
Variable dynamic_convolution(Tape& tape, const Variable& x, const Variable& scores,
                             const kernels::Window& window, const LightConvolutionOptions& options);

}  // namespace skein
