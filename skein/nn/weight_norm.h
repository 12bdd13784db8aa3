// Maps whose weights are a direction and a length for every output unit (Salimans & Kingma 2016):
// linear maps and convolutions over packed sentences.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "skein/autograd/convolution.h"
#include "skein/nn/input_window.h"
#include "skein/nn/parameter_store.h"

namespace skein {

class NormedWeight {
 public:
  // Parameters `name.weight_v` [outputs, inputs], normal with this standard deviation, and
  // `name.weight_g` [outputs], their norms at the start.
  NormedWeight(ParameterStore& store, const std::string& name, int64_t inputs, int64_t outputs,
               double standard_deviation);

  // [outputs, inputs] in the tape's type: the norms folded in. Parameters that do not change any
  // more are folded once.
  Variable operator()(Tape& tape) const;
  // One whose weight is folded now, once, to be read often; its gradient goes nowhere.
  NormedWeight folded(Tape& tape) const;

 private:
  struct Cache {
    std::once_flag once;
    Variable weight;
  };

  Variable fold(Tape& tape) const;

  Variable direction_;
  Variable length_;
  Variable folded_;  // defined in a folded() one
  std::shared_ptr<Cache> cache_ = std::make_shared<Cache>();
};

class NormedLinear {
 public:
  struct Options {
    int64_t inputs = 0;
    int64_t outputs = 0;
    // Of the inputs: the initial deviation is sqrt((1 - dropout) / inputs). Gehring et al. 2017,
    // section 3.5.
    double dropout = 0;
  };
  // The parameters of NormedWeight, and `name.bias` [outputs], zero at the start.
  NormedLinear(ParameterStore& store, const std::string& name, const Options& options);

  // x [n, inputs] → [n, outputs]
  Variable operator()(Tape& tape, const Variable& x) const;
  NormedLinear folded(Tape& tape) const;

  Variable weight(Tape& tape) const { return weight_(tape); }
  const Variable& bias() const { return bias_; }

 private:
  NormedWeight weight_;
  Variable bias_;
};

class NormedConvolution {
 public:
  enum class Sight { kCentred, kCausal };
  struct Options {
    int64_t inputs = 0;
    int64_t outputs = 0;
    int64_t width = 1;  // of the window: tokens
    // Centred: (width - 1) / 2 tokens before the own one, width / 2 after it.
    Sight sight = Sight::kCentred;
    // Of the inputs: the initial deviation is sqrt(4 (1 - dropout) / (width * inputs)), for outputs
    // that a gated linear unit halves.
    double dropout = 0;
  };
  // Parameters `name.weight_v` [outputs, width * inputs], `name.weight_g` and `name.bias`
  // [outputs].
  NormedConvolution(ParameterStore& store, const std::string& name, const Options& options);

  // x [n, inputs] → [n, outputs], with dropout of x
  Variable operator()(Tape& tape, const Variable& x, std::span<const int32_t> offsets,
                      double dropout = 0) const;
  // Causal ones: x [rows * count, inputs], `count` tokens more of every row.
  Variable step(Tape& tape, const Variable& x, int64_t count, InputWindow& window) const;
  NormedConvolution folded(Tape& tape) const;

  const Options& options() const { return options_; }

 private:
  Options options_;
  NormedWeight weight_;
  Variable bias_;
};

}  // namespace skein
