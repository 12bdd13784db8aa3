// The position-wise feed-forward layer of Transformers.
#pragma once

#include <optional>
#include <string>

#include "skein/nn/linear.h"

namespace skein {

struct FeedForwardOptions {
  int64_t width = 0;
  int64_t inner = 0;
  // "relu", "gelu", "silu", or gated (Shazeer 2020): "glu", "geglu", "swiglu".
  std::string activation = "relu";
  double dropout = 0;  // after the activation
};

class FeedForward {
 public:
  static std::vector<std::string> activations();

  // Parameters `name.in` [inner, width] ([2 inner, width] when gated: values, gates) and `name.out`
  // [width, inner]. Throws UsageError for an unknown activation.
  FeedForward(ParameterStore& store, const std::string& name, const FeedForwardOptions& options);

  Variable operator()(Tape& tape, const Variable& x) const;

 private:
  FeedForwardOptions options_;
  std::optional<kernels::Gate> gate_;
  kernels::Activation activation_ = kernels::Activation::kNone;
  Linear in_;
  Linear out_;
};

}  // namespace skein
