#include "skein/kernels/check.h"

#include <fmt/format.h>

#include "skein/base/error.h"

namespace skein::kernels {
namespace {

void require_defined(std::string_view kernel, std::string_view name, const Tensor& tensor) {
  if (!tensor.defined()) throw ShapeError(fmt::format("{}: {} is not defined", kernel, name));
}

}  // namespace

void require_float(std::string_view kernel, std::string_view name, const Tensor& tensor) {
  require_defined(kernel, name, tensor);
  if (tensor.type() != DType::kF32 && tensor.type() != DType::kBF16) {
    throw ShapeError(fmt::format("{}: {} is a tensor of {}, f32 or bf16 is expected", kernel, name,
                                 name_of(tensor.type())));
  }
}

void require_type(std::string_view kernel, std::string_view name, const Tensor& tensor,
                  DType type) {
  require_defined(kernel, name, tensor);
  if (tensor.type() != type) {
    throw ShapeError(fmt::format("{}: {} is a tensor of {}, {} is expected", kernel, name,
                                 name_of(tensor.type()), name_of(type)));
  }
}

void require_matrix(std::string_view kernel, std::string_view name, const Tensor& tensor,
                    int64_t rows, int64_t columns) {
  require_defined(kernel, name, tensor);
  // An empty matrix may have lost its number of rows or columns.
  const bool both_empty = tensor.elements() == 0 && rows * columns == 0;
  if (!both_empty && (tensor.rows() != rows || tensor.columns() != columns)) {
    throw ShapeError(fmt::format("{}: {} has shape {}, {} rows of {} are expected", kernel, name,
                                 tensor.shape().to_string(), rows, columns));
  }
}

void require_elements(std::string_view kernel, std::string_view name, const Tensor& tensor,
                      int64_t elements) {
  require_defined(kernel, name, tensor);
  if (tensor.elements() != elements) {
    throw ShapeError(fmt::format("{}: {} has shape {}, {} elements are expected", kernel, name,
                                 tensor.shape().to_string(), elements));
  }
}

void require_probability(std::string_view kernel, float probability) {
  if (!(probability >= 0 && probability < 1)) {
    throw ShapeError(fmt::format("{}: dropout {} is outside [0, 1)", kernel, probability));
  }
}

}  // namespace skein::kernels
