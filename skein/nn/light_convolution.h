// The sub-layer that LightConv and DynamicConv have where a Transformer has self-attention: linear
// map, gated linear unit, convolution, linear map. Wu et al. 2019, section 4 and figure 2.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "skein/autograd/light_convolution.h"
#include "skein/nn/input_window.h"
#include "skein/nn/linear.h"

namespace skein {

class LightConvolution {
 public:
  enum class Kind : uint8_t { kLight, kDynamic };
  enum class Sight : uint8_t { kCentred, kCausal };
  struct Options {
    Kind kind = Kind::kLight;
    Sight sight = Sight::kCentred;
    int64_t width = 0;
    int64_t kernel = 3;  // tokens of a window
    bool glu = true;
    LightConvolutionOptions convolution;
  };
  // Parameters `name.in` [width, width] (twice the rows with glu: values, gates), `name.out`
  // [width, width], and `name.kernel.weight`: [heads, kernel] of light ones, [heads * kernel,
  // width] of dynamic ones.
  LightConvolution(ParameterStore& store, const std::string& name, const Options& options);

  // x [n, width] → [n, width]
  Variable operator()(Tape& tape, const Variable& x, std::span<const int32_t> offsets) const;
  // Causal ones: x [rows * count, width], `count` tokens more of every row.
  Variable step(Tape& tape, const Variable& x, int64_t count, InputWindow& window) const;
  InputWindow window() const { return InputWindow(options_.kernel); }
  // Multiply-adds a token.
  int64_t weights() const;

 private:
  Variable values(Tape& tape, const Variable& x) const;

  Options options_;
  Linear in_;
  Variable kernel_;
  Linear out_;
};

}  // namespace skein
