#include "skein/tensor/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "skein/base/error.h"
#include "skein/tensor/arena.h"

namespace skein {

Tensor Tensor::uninitialized(const Shape& shape, DType type) {
  Tensor tensor;
  tensor.shape_ = shape;
  tensor.type_ = type;
  tensor.memory_ = allocate_tensor_memory(tensor.bytes());
  return tensor;
}

Tensor Tensor::zeros(const Shape& shape, DType type) {
  Tensor tensor = uninitialized(shape, type);
  tensor.fill_zero();
  return tensor;
}

template <typename T>
Tensor Tensor::from(std::span<const T> values, const Shape& shape) {
  if (static_cast<int64_t>(values.size()) != shape.elements()) {
    throw ShapeError(
        fmt::format("{} values for a tensor of shape {}", values.size(), shape.to_string()));
  }
  Tensor tensor = uninitialized(shape, DTypeOf<T>::value);
  std::copy(values.begin(), values.end(), tensor.data<T>());
  return tensor;
}

template Tensor Tensor::from(std::span<const float>, const Shape&);
template Tensor Tensor::from(std::span<const BFloat16>, const Shape&);
template Tensor Tensor::from(std::span<const int32_t>, const Shape&);
template Tensor Tensor::from(std::span<const int64_t>, const Shape&);
template Tensor Tensor::from(std::span<const int8_t>, const Shape&);
template Tensor Tensor::from(std::span<const uint8_t>, const Shape&);

Tensor Tensor::slice(int64_t begin, int64_t end) const {
  if (shape_.rank() == 0 || begin < 0 || begin > end || end > shape_[0]) {
    throw ShapeError(
        fmt::format("rows {} to {} of a tensor of shape {}", begin, end, shape_.to_string()));
  }
  std::array<int64_t, Shape::kMaxRank> extents{end - begin};
  const auto rank = static_cast<size_t>(shape_.rank());
  for (size_t i = 1; i < rank; ++i) extents[i] = shape_[static_cast<int>(i)];
  const int64_t row = shape_[0] == 0 ? 0 : elements() / shape_[0];
  return view(begin * row, Shape(std::span(extents).first(rank)));
}

Tensor Tensor::reshape(const Shape& shape) const {
  if (shape.elements() != elements()) {
    throw ShapeError(
        fmt::format("a tensor of shape {} seen as {}", shape_.to_string(), shape.to_string()));
  }
  return view(0, shape);
}

Tensor Tensor::view(int64_t begin, const Shape& shape) const {
  if (begin < 0 || begin + shape.elements() > elements()) {
    throw ShapeError(fmt::format("a view of {} from element {} of a tensor of shape {}",
                                 shape.to_string(), begin, shape_.to_string()));
  }
  Tensor result = *this;
  result.offset_ += static_cast<size_t>(begin) * size_of(type_);
  result.shape_ = shape;
  return result;
}

Tensor Tensor::copy() const {
  Tensor result = uninitialized(shape_, type_);
  if (bytes() > 0) std::memcpy(result.raw(), raw(), bytes());
  return result;
}

Tensor Tensor::converted(DType type) const {
  if (type == type_) return copy();
  Tensor result = uninitialized(shape_, type);
  if (type_ == DType::kF32 && type == DType::kBF16) {
    const auto from = values<float>();
    std::transform(from.begin(), from.end(), result.data<BFloat16>(),
                   [](float value) { return BFloat16(value); });
  } else if (type_ == DType::kBF16 && type == DType::kF32) {
    const auto from = values<BFloat16>();
    std::transform(from.begin(), from.end(), result.data<float>(),
                   [](BFloat16 value) { return static_cast<float>(value); });
  } else {
    throw ShapeError(fmt::format("no conversion from {} to {}", name_of(type_), name_of(type)));
  }
  return result;
}

void Tensor::fill_zero() {
  if (bytes() > 0) std::memset(raw(), 0, bytes());
}

void Tensor::require_type(DType type) const {
  if (type != type_) {
    throw ShapeError(
        fmt::format("a tensor of {} where {} is expected", name_of(type_), name_of(type)));
  }
}

MatrixView column_block(const Tensor& tensor, int64_t begin, int64_t width) {
  if (begin < 0 || width < 0 || begin + width > tensor.columns()) {
    throw ShapeError(fmt::format("columns {} to {} of a tensor of shape {}", begin, begin + width,
                                 tensor.shape().to_string()));
  }
  auto* data =
      const_cast<std::byte*>(tensor.raw()) + static_cast<size_t>(begin) * size_of(tensor.type());
  return {data, tensor.type(), tensor.rows(), width, tensor.columns()};
}

MatrixView matrix(const Tensor& tensor) { return column_block(tensor, 0, tensor.columns()); }

}  // namespace skein
