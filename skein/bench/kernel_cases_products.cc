// Products of m x n results with sums over k.
#include <array>
#include <cstdint>

#include "skein/bench/kernel_cases.h"
#include "skein/kernels/matmul.h"
#include "skein/kernels/packed_matrix.h"

namespace skein {
namespace {

using Sizes = std::array<int64_t, 3>;  // m, n, k

constexpr Sizes kLayers[] = {{512, 512, 512},   {4096, 512, 512},  {4011, 1536, 512},
                             {4011, 2048, 512}, {4011, 512, 2048}, {4011, 256, 256},
                             {4011, 1024, 256}, {4011, 256, 1024}, {512, kBenchmarkWords, 512}};
constexpr Sizes kSteps[] = {{1, 512, 512}, {32, 2048, 512}, {320, 512, 512}};

KernelCase product(const char* name, const Sizes& sizes) {
  const auto [m, n, k] = sizes;
  return {.name = name,
          .shape = {m, n, k},
          .kind = Work::kOperations,
          .work = 2 * static_cast<double>(m * n * k),
          .prepare = {}};
}

// y = x Wᵀ + b
KernelCase layer(DType type, const Sizes& sizes) {
  KernelCase kernel = product("layer", sizes);
  kernel.prepare = [=] {
    const auto [m, n, k] = sizes;
    return [x = random_operand({m, k}, type), weight = random_operand({n, k}, type),
            bias = random_operand({n}, DType::kF32), y = Tensor::zeros({m, n}, type)]() mutable {
      kernels::matmul(x, weight, y, {.transpose_b = true, .bias = &bias});
    };
  };
  return kernel;
}

// dx = dy W
KernelCase layer_input_gradient(DType type, const Sizes& sizes) {
  KernelCase kernel = product("layer_input_gradient", sizes);
  kernel.prepare = [=] {
    const auto [m, n, k] = sizes;
    return [dy = random_operand({m, n}, type), weight = random_operand({n, k}, type),
            dx = Tensor::zeros({m, k}, type)]() mutable { kernels::matmul(dy, weight, dx); };
  };
  return kernel;
}

// dW += dyᵀ x
KernelCase layer_weight_gradient(DType type, const Sizes& sizes) {
  KernelCase kernel = product("layer_weight_gradient", sizes);
  kernel.prepare = [=] {
    const auto [m, n, k] = sizes;
    return [dy = random_operand({m, n}, type), x = random_operand({m, k}, type),
            dw = Tensor::zeros({n, k}, DType::kF32)]() mutable {
      kernels::matmul(dy, x, dw, {.transpose_a = true, .accumulate = true});
    };
  };
  return kernel;
}

// A layer in decoding, for m hypotheses.
KernelCase packed_layer(DType type, const Sizes& sizes) {
  KernelCase kernel = product("packed_layer", sizes);
  kernel.prepare = [=] {
    const auto [m, n, k] = sizes;
    return [x = random_operand({m, k}, type),
            weight = kernels::PackedMatrix(random_operand({n, k}, type), true),
            y = Tensor::zeros({m, n}, type)]() mutable { kernels::matmul(x, weight, y); };
  };
  return kernel;
}

}  // namespace

void add_product_cases(DType type, std::vector<KernelCase>& cases) {
  for (const Sizes& sizes : kLayers) cases.push_back(layer(type, sizes));
  for (const Sizes& sizes : kLayers) cases.push_back(layer_input_gradient(type, sizes));
  for (const Sizes& sizes : kLayers) cases.push_back(layer_weight_gradient(type, sizes));
  for (const Sizes& sizes : kSteps) cases.push_back(packed_layer(type, sizes));
}

}  // namespace skein
