// The extents of a tensor, row-major, at most four.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace skein {

class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;  // a scalar
  // Throws ShapeError for more than four or negative extents.
  Shape(std::initializer_list<int64_t> extents);
  explicit Shape(std::span<const int64_t> extents);

  int rank() const { return rank_; }
  int64_t operator[](int index) const { return extents_[static_cast<size_t>(index)]; }
  int64_t elements() const;
  bool operator==(const Shape& other) const = default;
  // "[4, 512]"
  std::string to_string() const;

 private:
  int rank_ = 0;
  std::array<int64_t, kMaxRank> extents_{};
};

}  // namespace skein
