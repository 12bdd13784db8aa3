// Functions of single elements and sums of columns: rows, columns.
#include <cstdint>
#include <utility>

#include "skein/bench/kernel_cases.h"
#include "skein/kernels/activation.h"
#include "skein/kernels/elementwise.h"

namespace skein {
namespace {

// `passes`: how often the matrix is read or written.
KernelCase pointwise(const char* name, int64_t columns, DType type, double passes,
                     std::function<std::function<void()>()> prepare) {
  const Shape shape{kBenchmarkTokens, columns};
  return {
      .name = name,
      .shape = {shape[0], shape[1]},
      .kind = Work::kBytes,
      .work = passes * static_cast<double>(shape.elements()) * static_cast<double>(size_of(type)),
      .prepare = std::move(prepare)};
}

KernelCase copy(DType type, int64_t columns) {
  return pointwise("copy", columns, type, 2, [=] {
    const Tensor from = random_operand({kBenchmarkTokens, columns}, type);
    return [from, to = from.copy()]() mutable { kernels::convert(from, to); };
  });
}

KernelCase relu_gradient_with_bias(DType type, int64_t columns) {
  return pointwise("relu_gradient_with_bias", columns, type, 3, [=] {
    const Tensor y = random_operand({kBenchmarkTokens, columns}, type);
    return [y, dy = y.copy(), dx = y.copy(),
            d_bias = Tensor::zeros({columns}, DType::kF32)]() mutable {
      kernels::activation_gradient(kernels::Activation::kRelu, y, dy, dx, d_bias, true);
    };
  });
}

KernelCase gelu(DType type, int64_t columns) {
  return pointwise("gelu", columns, type, 2, [=] {
    const Tensor x = random_operand({kBenchmarkTokens, columns}, type);
    return [x, y = x.copy()]() mutable { kernels::activation(kernels::Activation::kGelu, x, y); };
  });
}

KernelCase bias_gradient(DType type, int64_t columns) {
  return pointwise("bias_gradient", columns, type, 1, [=] {
    return [dy = random_operand({kBenchmarkTokens, columns}, type),
            sums = Tensor::zeros({columns}, DType::kF32)]() mutable {
      kernels::column_sum(dy, sums, true);
    };
  });
}

KernelCase dropped(DType type, int64_t columns) {
  return pointwise("dropped", columns, type, 2, [=] {
    const Tensor x = random_operand({kBenchmarkTokens, columns}, type);
    return
        [x, y = x.copy()]() mutable { kernels::dropout({.probability = 0.1f, .seed = 1}, x, y); };
  });
}

}  // namespace

void add_pointwise_cases(DType type, std::vector<KernelCase>& cases) {
  cases.push_back(copy(type, 2048));
  cases.push_back(relu_gradient_with_bias(type, 2048));
  cases.push_back(gelu(type, 2048));
  cases.push_back(bias_gradient(type, 1536));
  cases.push_back(dropped(type, 512));
}

}  // namespace skein
