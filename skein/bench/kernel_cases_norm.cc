// Layer normalisation with residual and dropout: rows, columns.
#include <cstdint>

#include "skein/bench/kernel_cases.h"
#include "skein/kernels/norm.h"

namespace skein {
namespace {

constexpr kernels::Dropout kDropout = {.probability = 0.1f, .seed = 1};

KernelCase norm(const char* name, int64_t columns, DType type, double passes) {
  const Shape shape{kBenchmarkTokens, columns};
  return {
      .name = name,
      .shape = {shape[0], shape[1]},
      .kind = Work::kBytes,
      .work = passes * static_cast<double>(shape.elements()) * static_cast<double>(size_of(type)),
      .prepare = {}};
}

KernelCase norm_forward(DType type, int64_t columns) {
  KernelCase kernel = norm("norm_forward", columns, type, 4);
  kernel.prepare = [=] {
    const Tensor x = random_operand({kBenchmarkTokens, columns}, type);
    const Tensor gain = random_operand({columns}, DType::kF32);
    return [x, gain, residual = x.copy(), bias = gain.copy(), sum = x.copy(), y = x.copy(),
            statistics = kernels::NormStatistics()]() mutable {
      kernels::layer_norm({.x = x,
                           .residual = residual,
                           .gain = gain,
                           .bias = bias,
                           .dropout = kDropout,
                           .sum = sum,
                           .y = y,
                           .statistics = statistics});
    };
  };
  return kernel;
}

KernelCase norm_backward(DType type, int64_t columns) {
  KernelCase kernel = norm("norm_backward", columns, type, 5);
  kernel.prepare = [=] {
    const Tensor sum = random_operand({kBenchmarkTokens, columns}, type);
    const Tensor gain = random_operand({columns}, DType::kF32);
    const kernels::NormStatistics statistics = {random_operand({kBenchmarkTokens}, DType::kF32),
                                                random_operand({kBenchmarkTokens}, DType::kF32)};
    return [sum, gain, statistics, dy = sum.copy(), extra = sum.copy(), d_sum = sum.copy(),
            d_x = sum.copy(), d_gain = gain.copy(), d_bias = gain.copy(),
            d_x_bias = gain.copy()]() mutable {
      kernels::layer_norm_gradient({.sum = sum,
                                    .gain = gain,
                                    .statistics = statistics,
                                    .dy = dy,
                                    .d_sum_extra = extra,
                                    .dropout = kDropout,
                                    .d_sum = d_sum,
                                    .d_x = d_x,
                                    .d_gain = d_gain,
                                    .d_bias = d_bias,
                                    .d_x_bias = &d_x_bias});
    };
  };
  return kernel;
}

}  // namespace

void add_norm_cases(DType type, std::vector<KernelCase>& cases) {
  for (const int64_t columns : {512, 256}) cases.push_back(norm_forward(type, columns));
  for (const int64_t columns : {512, 256}) cases.push_back(norm_backward(type, columns));
}

}  // namespace skein
