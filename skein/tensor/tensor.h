// A value: typed, row-major, contiguous, reference counted. Copying a Tensor shares its memory;
// copy() makes another. No gradients here (autograd/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "skein/tensor/dtype.h"
#include "skein/tensor/shape.h"

namespace skein {

class Tensor {
 public:
  Tensor() = default;  // no memory; defined() is false
  static Tensor uninitialized(const Shape& shape, DType type);
  static Tensor zeros(const Shape& shape, DType type);
  // Throws ShapeError if the number of values differs from the shape's.
  template <typename T>
  static Tensor from(std::span<const T> values, const Shape& shape);
  template <typename T>
  static Tensor from(const std::vector<T>& values, const Shape& shape) {
    return from(std::span<const T>(values), shape);
  }

  bool defined() const { return memory_ != nullptr; }
  const Shape& shape() const { return shape_; }
  DType type() const { return type_; }
  int64_t elements() const { return shape_.elements(); }
  size_t bytes() const { return static_cast<size_t>(elements()) * size_of(type_); }
  // As a matrix: all leading dimensions together, and the last one.
  int64_t rows() const { return columns() == 0 ? 0 : elements() / columns(); }
  int64_t columns() const { return shape_.rank() == 0 ? 1 : shape_[shape_.rank() - 1]; }

  // Throws ShapeError if T is not the element type.
  template <typename T>
  std::span<T> values() {
    require_type(DTypeOf<T>::value);
    return {reinterpret_cast<T*>(raw()), static_cast<size_t>(elements())};
  }
  template <typename T>
  std::span<const T> values() const {
    require_type(DTypeOf<T>::value);
    return {reinterpret_cast<const T*>(raw()), static_cast<size_t>(elements())};
  }
  template <typename T>
  T* data() {
    return values<T>().data();
  }
  template <typename T>
  const T* data() const {
    return values<T>().data();
  }
  std::byte* raw() { return memory_.get() + offset_; }
  const std::byte* raw() const { return memory_.get() + offset_; }
  // True if no other Tensor shares the memory.
  bool unique() const { return memory_.use_count() == 1; }

  // Views that share the memory.
  Tensor slice(int64_t begin, int64_t end) const;  // of the leading dimension
  Tensor reshape(const Shape& shape) const;        // same number of elements
  // From the flat element index `begin`, with the given shape.
  Tensor view(int64_t begin, const Shape& shape) const;

  Tensor copy() const;
  // The same values in f32 or bf16 (a copy, also where the type is the same).
  Tensor converted(DType type) const;
  void fill_zero();

 private:
  void require_type(DType type) const;

  std::shared_ptr<std::byte[]> memory_;
  size_t offset_ = 0;  // bytes
  Shape shape_;
  DType type_ = DType::kF32;
};

// A block of columns of a matrix, for operations that read parts of a fused product: row r begins
// at element r * stride of `data`. Does not own the memory.
struct MatrixView {
  std::byte* data = nullptr;
  DType type = DType::kF32;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t stride = 0;  // elements between rows
};
// Columns [begin, begin + width) of the tensor seen as a matrix.
MatrixView column_block(const Tensor& tensor, int64_t begin, int64_t width);
MatrixView matrix(const Tensor& tensor);

}  // namespace skein
