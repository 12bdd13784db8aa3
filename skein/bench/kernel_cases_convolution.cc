// Convolutions over sentences of 64 tokens: rows, columns, tokens of a window.
#include <cstdint>
#include <memory>

#include "skein/bench/kernel_cases.h"
#include "skein/kernels/light_convolution.h"

namespace skein {
namespace {

constexpr int64_t kSentence = 64;
constexpr int64_t kHeads = 8;

// The operands of one shape; every function is a call that is timed.
class Convolution {
 public:
  Convolution(DType type, int64_t columns, int64_t width)
      : width_(width),
        x_(random_operand({kBenchmarkTokens, columns}, type)),
        y_(x_.copy()),
        weights_(random_operand({kBenchmarkTokens, kHeads * width}, type)),
        shared_weights_(random_operand({1, kHeads * width}, DType::kF32)),
        d_weights_(Tensor::zeros({kBenchmarkTokens, kHeads * width}, DType::kF32)) {
    for (int64_t row = 0; row < kBenchmarkTokens; row += kSentence) {
      offsets_.push_back(static_cast<int32_t>(row));
    }
    offsets_.push_back(static_cast<int32_t>(kBenchmarkTokens));
  }

  void light() { kernels::light_convolution(window(), shared_weights_, x_, y_); }
  void dynamic() { kernels::light_convolution(window(), weights_, x_, y_); }
  void input_gradient() {
    kernels::light_convolution_input_gradient(window(), weights_, x_, y_, /*accumulate=*/false);
  }
  void weight_gradient() {
    kernels::light_convolution_weight_gradient(window(), 1, x_, y_, d_weights_);
  }

 private:
  kernels::LightWindow window() const { return {{offsets_, width_, width_ / 2}, kHeads}; }

  int64_t width_;
  std::vector<int32_t> offsets_;
  Tensor x_, y_, weights_, shared_weights_, d_weights_;
};

KernelCase convolution(const char* name, DType type, int64_t width, void (Convolution::*call)()) {
  constexpr int64_t kColumns = 512;
  return {.name = name,
          .shape = {kBenchmarkTokens, kColumns, width},
          .kind = Work::kOperations,
          // As if all windows were whole.
          .work = 2 * static_cast<double>(kBenchmarkTokens * kColumns * width),
          .prepare = [=] {
            const auto operands = std::make_shared<Convolution>(type, kColumns, width);
            return [=] { ((*operands).*call)(); };
          }};
}

KernelCase softmax(DType type, int64_t width) {
  const Shape shape{kBenchmarkTokens, kHeads * width};
  return {.name = "tap_softmax",
          .shape = {kBenchmarkTokens, kHeads, width},
          .kind = Work::kBytes,
          .work = 2 * static_cast<double>(shape.elements()) * static_cast<double>(size_of(type)),
          .prepare = [=] {
            const Tensor scores = random_operand(shape, type);
            return [=, weights = scores.copy()]() mutable {
              kernels::tap_softmax(width, scores, weights);
            };
          }};
}

}  // namespace

void add_convolution_cases(DType type, std::vector<KernelCase>& cases) {
  for (const int64_t width : {7, 31}) {
    cases.push_back(convolution("light_convolution", type, width, &Convolution::light));
    cases.push_back(convolution("dynamic_convolution", type, width, &Convolution::dynamic));
    cases.push_back(convolution("dynamic_convolution_input_gradient", type, width,
                                &Convolution::input_gradient));
    cases.push_back(convolution("dynamic_convolution_weight_gradient", type, width,
                                &Convolution::weight_gradient));
    cases.push_back(softmax(type, width));
  }
}

}  // namespace skein
