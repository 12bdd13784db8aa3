#include "skein/nn/feed_forward.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "skein/base/error.h"

namespace skein {
namespace {

std::optional<kernels::Gate> gate_of(const std::string& name) {
  if (name == "glu") return kernels::Gate::kSigmoid;
  if (name == "geglu") return kernels::Gate::kGelu;
  if (name == "swiglu") return kernels::Gate::kSilu;
  return std::nullopt;
}

kernels::Activation activation_of(const std::string& name) {
  if (name == "relu") return kernels::Activation::kRelu;
  if (name == "gelu") return kernels::Activation::kGelu;
  if (name == "silu") return kernels::Activation::kSilu;
  if (gate_of(name)) return kernels::Activation::kNone;
  throw UsageError(fmt::format("unknown feed-forward activation '{}'; expected one of {}", name,
                               fmt::join(FeedForward::activations(), ", ")));
}

}  // namespace

std::vector<std::string> FeedForward::activations() {
  return {"relu", "gelu", "silu", "glu", "geglu", "swiglu"};
}

FeedForward::FeedForward(ParameterStore& store, const std::string& name,
                         const FeedForwardOptions& options)
    : options_(options),
      gate_(gate_of(options.activation)),
      activation_(activation_of(options.activation)),
      in_(store, name + ".in",
          {.inputs = options.width,
           .outputs = gate_ ? 2 * options.inner : options.inner,
           .stacked = gate_ ? 2 : 1}),
      out_(store, name + ".out", {.inputs = options.inner, .outputs = options.width}) {}

Variable FeedForward::operator()(Tape& tape, const Variable& x) const {
  Variable hidden = in_(tape, x, activation_);
  if (gate_) hidden = glu(tape, *gate_, hidden);
  return out_(tape, dropout(tape, options_.dropout, hidden));
}

}  // namespace skein
