#include "skein/autograd/light_convolution.h"

#include <memory>
#include <utility>
#include <vector>

#include "skein/kernels/check.h"
#include "skein/kernels/elementwise.h"

namespace skein {
namespace {

// The gradient to weights that all tokens share is summed over so many tokens at a time.
constexpr int64_t kSumRows = 256;

enum class Weights : uint8_t { kOfAllTokens, kOfEachToken };

Tensor dropped(const kernels::Dropout& mask, const Tensor& x) {
  if (mask.probability == 0) return x;
  Tensor result = Tensor::uninitialized(x.shape(), x.type());
  kernels::dropout(mask, x, result);
  return result;
}

struct LightConvolutionRecord {
  Weights kind;
  Tensor x;
  std::shared_ptr<Gradient> x_gradient;
  Variable scores;
  Tensor weights;  // before dropout
  kernels::Dropout mask;
  std::shared_ptr<Gradient> y_gradient;
  std::vector<int32_t> offsets;
  int64_t width;
  int64_t left;
  LightConvolutionOptions options;

  kernels::LightWindow window() const { return {{offsets, width, left}, options.heads}; }

  // The weights of each token come from activations, those of all are parameters.
  void inputs() {
    input_gradient();
    if (kind == Weights::kOfEachToken) score_gradient();
  }
  void parameters() {
    if (kind == Weights::kOfAllTokens) score_gradient();
  }

  void input_gradient() {
    if (!x_gradient) return;
    auto [dx, accumulate] = x_gradient->target(x.shape(), x.type());
    kernels::light_convolution_input_gradient(window(), dropped(mask, weights),
                                              y_gradient->tensor(), dx, accumulate);
  }

  void score_gradient() {
    if (!scores.needs_gradient()) return;
    Tensor d = weight_gradient();
    if (mask.probability > 0) kernels::dropout(mask, d, d);
    if (options.softmax) {
      Tensor d_scores = Tensor::uninitialized(d.shape(), weights.type());
      kernels::tap_softmax_gradient(width, weights, d, d_scores);
      d = std::move(d_scores);
    }
    if (d.type() != weights.type()) d = d.converted(weights.type());
    scores.gradient()->add(d.reshape(scores.shape()));
  }

  Tensor weight_gradient() const {
    const int64_t columns = options.heads * width, tokens = x.rows();
    const int64_t rows = kind == Weights::kOfEachToken ? 1 : kSumRows;
    Tensor d = Tensor::uninitialized({(tokens + rows - 1) / rows, columns}, DType::kF32);
    kernels::light_convolution_weight_gradient(window(), rows, x, y_gradient->tensor(), d);
    if (kind == Weights::kOfEachToken) return d;
    Tensor sum = Tensor::uninitialized({1, columns}, DType::kF32);
    kernels::column_sum(d, sum, /*accumulate=*/false);
    return sum;
  }
};

// The scores as rows, one for each token or one for all, made weights.
Tensor weights_of(const Tensor& scores, int64_t width, const LightConvolutionOptions& options) {
  if (!options.softmax) return scores;
  Tensor weights = Tensor::uninitialized(scores.shape(), scores.type());
  kernels::tap_softmax(width, scores, weights);
  return weights;
}

Variable convolve(Tape& tape, Weights kind, const Variable& x, const Variable& scores,
                  const kernels::Window& window, const LightConvolutionOptions& options) {
  const Tensor rows = kind == Weights::kOfEachToken
                          ? scores.value()
                          : scores.value().reshape({1, options.heads * window.width});
  const Tensor weights = weights_of(rows, window.width, options);
  const kernels::Dropout mask = tape.next_dropout(options.dropout);
  Tensor y = Tensor::uninitialized(x.shape(), tape.activations());
  kernels::light_convolution({window, options.heads}, dropped(mask, weights), x.value(), y);
  tape.check(y, "light_convolution", scores);
  const Variable output(std::move(y), tape.recording());
  if (!tape.recording()) return output;
  auto record = std::make_shared<LightConvolutionRecord>(
      LightConvolutionRecord{.kind = kind,
                             .x = x.value(),
                             .x_gradient = x.gradient(),
                             .scores = scores,
                             .weights = weights,
                             .mask = mask,
                             .y_gradient = output.gradient(),
                             .offsets = {window.offsets.begin(), window.offsets.end()},
                             .width = window.width,
                             .left = window.left,
                             .options = options});
  tape.record({.outputs = {output.gradient()},
               .inputs = [record] { record->inputs(); },
               .weights = [record] { record->parameters(); }});
  return output;
}

}  // namespace

Variable light_convolution(Tape& tape, const Variable& x, const Variable& scores,
                           const kernels::Window& window, const LightConvolutionOptions& options) {
  kernels::require_type("light_convolution", "x", x.value(), tape.activations());
  kernels::require_matrix("light_convolution", "scores", scores.value(), options.heads,
                          window.width);
  return convolve(tape, Weights::kOfAllTokens, x, scores, window, options);
}

Variable dynamic_convolution(Tape& tape, const Variable& x, const Variable& scores,
                             const kernels::Window& window,
                             const LightConvolutionOptions& options) {
  kernels::require_type("dynamic_convolution", "x", x.value(), tape.activations());
  kernels::require_matrix("dynamic_convolution", "scores", scores.value(), x.value().rows(),
                          options.heads * window.width);
  return convolve(tape, Weights::kOfEachToken, x, scores, window, options);
}

}  // namespace skein
