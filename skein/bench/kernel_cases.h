// The cases of kernel_cases(), a file a group, and what they have in common. Names and shapes are
// what `skein bench kernels` prints.
#pragma once

#include <vector>

#include "skein/bench/kernels.h"
#include "skein/tensor/tensor.h"

namespace skein {

inline constexpr int64_t kBenchmarkTokens = 4096;
inline constexpr int64_t kBenchmarkWords = 10000;

// Uniform in (-1, 1); the same values for the same shape.
Tensor random_operand(const Shape& shape, DType type);

void add_product_cases(DType type, std::vector<KernelCase>& cases);
void add_attention_cases(DType type, std::vector<KernelCase>& cases);
void add_pointwise_cases(DType type, std::vector<KernelCase>& cases);
void add_norm_cases(DType type, std::vector<KernelCase>& cases);
void add_convolution_cases(DType type, std::vector<KernelCase>& cases);
void add_embedding_cases(DType type, std::vector<KernelCase>& cases);  // and the loss
void add_update_cases(DType type, std::vector<KernelCase>& cases);

}  // namespace skein
