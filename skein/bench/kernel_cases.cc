#include "skein/bench/kernel_cases.h"

namespace skein {

Tensor random_operand(const Shape& shape, DType type) {
  Tensor tensor = Tensor::uninitialized(shape, DType::kF32);
  uint64_t word = 1;
  for (float& value : tensor.values<float>()) {
    // Knuth's MMIX generator: Random would take longer than what is measured.
    word = word * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<float>(static_cast<int64_t>(word)) * 1e-19f;
  }
  return tensor.converted(type);
}

}  // namespace skein
