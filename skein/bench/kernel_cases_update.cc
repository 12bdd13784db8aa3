// What an update does with all parameters: their number.
#include <cstdint>

#include "skein/bench/kernel_cases.h"
#include "skein/kernels/elementwise.h"
#include "skein/kernels/update.h"

namespace skein {
namespace {

constexpr int64_t kParameters = 10'000'000;

KernelCase update(const char* name, size_t bytes_of_a_parameter) {
  return {.name = name,
          .shape = {kParameters},
          .kind = Work::kBytes,
          .work = static_cast<double>(kParameters) * static_cast<double>(bytes_of_a_parameter),
          .prepare = {}};
}

// Reads gradient, values, mean and variance, and writes the last three and the bf16 values.
KernelCase adam_update(DType type) {
  const bool half = type == DType::kBF16;
  KernelCase kernel = update("adam_update", 7 * sizeof(float) + (half ? size_of(type) : 0));
  kernel.prepare = [half] {
    const Tensor gradient = random_operand({kParameters}, DType::kF32);
    return [gradient, values = gradient.copy(), mean = gradient.copy(),
            variance = Tensor::zeros({kParameters}, DType::kF32),
            rounded = half ? Tensor::zeros({kParameters}, DType::kBF16) : Tensor()]() mutable {
      kernels::adam({.lr = 1e-4}, gradient, values, mean, variance, rounded);
    };
  };
  return kernel;
}

KernelCase norm_of_gradient() {
  KernelCase kernel = update("norm_of_gradient", sizeof(float));
  kernel.prepare = [] {
    return [gradient = random_operand({kParameters}, DType::kF32)] {
      static_cast<void>(kernels::sum_of_squares(gradient));
    };
  };
  return kernel;
}

}  // namespace

void add_update_cases(DType type, std::vector<KernelCase>& cases) {
  cases.push_back(adam_update(type));
  cases.push_back(norm_of_gradient());
}

}  // namespace skein
