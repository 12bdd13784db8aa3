// What every kernel asks of its tensors before it touches them.
#pragma once

#include <cstdint>
#include <string_view>

#include "skein/tensor/tensor.h"

namespace skein::kernels {

// Each throws ShapeError with a sentence that names the kernel and the tensor.
void require_float(std::string_view kernel, std::string_view name, const Tensor& tensor);
void require_type(std::string_view kernel, std::string_view name, const Tensor& tensor, DType type);
void require_matrix(std::string_view kernel, std::string_view name, const Tensor& tensor,
                    int64_t rows, int64_t columns);
void require_elements(std::string_view kernel, std::string_view name, const Tensor& tensor,
                      int64_t elements);
// A dropout probability outside [0, 1).
void require_probability(std::string_view kernel, float probability);

}  // namespace skein::kernels
