#include "skein/autograd/convolution.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "skein/autograd/functions.h"
#include "skein/kernels/check.h"
#include "skein/kernels/elementwise.h"
#include "skein/kernels/matmul.h"

namespace skein {
namespace {

// Rows whose windows exist at a time: they stay in the second-level caches until they are
// multiplied. 512 are 10 % faster than 1024 (256 channels, windows of 3, one core).
constexpr int64_t kChunkRows = 512;

// Calls body(begin, end, the windows of rows [begin, end)).
template <typename Body>
void for_windows(const kernels::Window& window, const Tensor& x, Body&& body) {
  const int64_t rows = x.rows();
  Tensor windows =
      Tensor::uninitialized({std::min(rows, kChunkRows), window.width * x.columns()}, x.type());
  for (int64_t begin = 0; begin < rows; begin += kChunkRows) {
    const int64_t end = std::min(rows, begin + kChunkRows);
    Tensor chunk = windows.slice(0, end - begin);
    kernels::unfold(window, x, begin, chunk);
    body(begin, end, chunk);
  }
}

// Calls body(begin, end) for about as many rows, which are whole sentences.
template <typename Body>
void for_sentences(std::span<const int32_t> offsets, Body&& body) {
  int64_t begin = 0;
  for (size_t s = 1; s < offsets.size(); ++s) {
    const bool last = s + 1 == offsets.size();
    if (!last && offsets[s + 1] - begin <= kChunkRows) continue;
    if (offsets[s] > begin) body(begin, int64_t{offsets[s]});
    begin = offsets[s];
  }
}

struct ConvolutionRecord {
  Tensor x;  // after dropout
  std::shared_ptr<Gradient> x_gradient;
  kernels::Dropout dropout;
  Variable weight;
  Variable bias;
  std::shared_ptr<Gradient> y_gradient;
  std::vector<int32_t> offsets;
  int64_t width;
  int64_t left;

  kernels::Window window() const { return {offsets, width, left}; }

  void inputs() {
    if (!x_gradient) return;
    const Tensor& dy = y_gradient->tensor();
    const Gradient::Target dx = x_gradient->target(x.shape(), x.type());
    for_sentences(offsets, [&](int64_t begin, int64_t end) {
      Tensor windows = Tensor::uninitialized({end - begin, width * x.columns()}, x.type());
      kernels::matmul(dy.slice(begin, end), weight.value_as(x.type()), windows);
      kernels::fold({.window = window(),
                     .windows = windows,
                     .first = begin,
                     .dropout = dropout,
                     .accumulate = dx.accumulate},
                    dx.buffer);
    });
  }

  void weights() {
    const Tensor& dy = y_gradient->tensor();
    if (weight.needs_gradient()) {
      const Gradient::Target dw = weight.gradient()->target(weight.shape(), DType::kF32);
      if (x.rows() == 0 && !dw.accumulate) dw.buffer.fill_zero();
      for_windows(window(), x, [&](int64_t begin, int64_t end, const Tensor& rows) {
        kernels::matmul(dy.slice(begin, end), rows, dw.buffer,
                        {.transpose_a = true, .accumulate = dw.accumulate || begin > 0});
      });
    }
    if (bias.needs_gradient()) {
      auto [db, accumulate] = bias.gradient()->target(bias.shape(), DType::kF32);
      kernels::column_sum(dy, db, accumulate);
    }
  }
};

Tensor dropped(const kernels::Dropout& mask, const Tensor& x) {
  if (mask.probability == 0) return x;
  Tensor result = Tensor::uninitialized(x.shape(), x.type());
  kernels::dropout(mask, x, result);
  return result;
}

}  // namespace

Variable convolution(Tape& tape, const Variable& x, const Variable& weight, const Variable& bias,
                     const kernels::Window& window, double probability) {
  kernels::require_type("convolution", "x", x.value(), tape.activations());
  const int64_t outputs = weight.shape()[0];
  kernels::require_matrix("convolution", "weight", weight.value(), outputs,
                          window.width * x.value().columns());
  const kernels::Dropout mask = tape.next_dropout(probability);
  const Tensor inputs = dropped(mask, x.value());
  Tensor y = Tensor::uninitialized({inputs.rows(), outputs}, tape.activations());
  for_windows(window, inputs, [&](int64_t begin, int64_t end, const Tensor& rows) {
    Tensor out = y.slice(begin, end);
    multiply_by_weight(rows, weight, out, bias.defined() ? &bias.value() : nullptr);
  });
  tape.check(y, "convolution", weight);
  const Variable output(std::move(y), tape.recording());
  if (!tape.recording()) return output;
  auto record = std::make_shared<ConvolutionRecord>(
      ConvolutionRecord{.x = inputs,
                        .x_gradient = x.gradient(),
                        .dropout = mask,
                        .weight = weight,
                        .bias = bias,
                        .y_gradient = output.gradient(),
                        .offsets = {window.offsets.begin(), window.offsets.end()},
                        .width = window.width,
                        .left = window.left});
  tape.record({.outputs = {output.gradient()},
               .inputs = [record] { record->inputs(); },
               .weights = [record] { record->weights(); }});
  return output;
}

}  // namespace skein
