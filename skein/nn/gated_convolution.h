// The layer of convolutional models: convolution, gated linear unit, residual connection. Dauphin
// et al. 2016, section 3; Gehring et al. 2017, section 3.2.
#pragma once

#include <cstdint>
#include <functional>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "skein/nn/weight_norm.h"

namespace skein {

// A sum of two values of variance one has the variance one again.
inline constexpr double kResidualScale = std::numbers::sqrt2 / 2;

struct ConvolutionLayer {
  int64_t width = 0;   // of the output
  int64_t kernel = 1;  // tokens of a window
  // Layers back to where the residual connection begins: 1 is the layer's own input, 0 none.
  int64_t residual = 1;
  bool operator==(const ConvolutionLayer&) const = default;
};

class GatedConvolution {
 public:
  struct Options {
    // Of the layers before, the first one's input included: the last is this one's input.
    std::vector<int64_t> widths;
    ConvolutionLayer layer;
    NormedConvolution::Sight sight = NormedConvolution::Sight::kCentred;
    double dropout = 0;  // of the input
  };
  // Parameters `name.convolution...`, and `name.projection...` where the residual connection begins
  // at another width.
  GatedConvolution(ParameterStore& store, const std::string& name, const Options& options);

  // x [n, inputs], the layer's input → values and gates [n, 2 width].
  Variable gates(Tape& tape, const Variable& x, std::span<const int32_t> offsets) const;
  // x [rows * count, inputs]: `count` tokens more of every row.
  Variable gates_step(Tape& tape, const Variable& x, int64_t count, InputWindow& window) const;

  // The output [n, width] from values and gates. `history`: the outputs of the layers before,
  // oldest first, the first one's input included. `attend` (may be empty) comes between the gates
  // and the residual sum.
  using Attend = std::function<Variable(const Variable& gated)>;
  Variable output(Tape& tape, const Variable& gates, std::span<const Variable> history,
                  const Attend& attend = nullptr) const;

  InputWindow window() const { return InputWindow(convolution_.options().width); }
  GatedConvolution folded(Tape& tape) const;
  // Multiply-adds a token.
  int64_t weights() const { return weights_; }

 private:
  double dropout_;
  int64_t residual_;
  NormedConvolution convolution_;
  std::optional<NormedLinear> projection_;
  int64_t weights_;
};

// One after the other, each with the widths before it; named `name.layers.0` and so on.
std::vector<GatedConvolution> make_gated_convolutions(ParameterStore& store,
                                                      const std::string& name, int64_t inputs,
                                                      std::span<const ConvolutionLayer> layers,
                                                      NormedConvolution::Sight sight,
                                                      double dropout);

}  // namespace skein
