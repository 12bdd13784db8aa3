#include "skein/tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "skein/base/error.h"

namespace skein {

Shape::Shape(std::initializer_list<int64_t> extents)
    : Shape(std::span<const int64_t>(extents.begin(), extents.size())) {}

Shape::Shape(std::span<const int64_t> extents) : rank_(static_cast<int>(extents.size())) {
  if (rank_ > kMaxRank) {
    throw ShapeError(
        fmt::format("a tensor of {} dimensions; expected at most {}", rank_, kMaxRank));
  }
  for (int64_t extent : extents) {
    if (extent < 0) {
      throw ShapeError(fmt::format("a tensor extent of {}; expected 0 or more", extent));
    }
  }
  std::copy(extents.begin(), extents.end(), extents_.begin());
}

int64_t Shape::elements() const {
  int64_t product = 1;
  for (int i = 0; i < rank_; ++i) product *= (*this)[i];
  return product;
}

std::string Shape::to_string() const {
  return fmt::format("[{}]", fmt::join(extents_.begin(), extents_.begin() + rank_, ", "));
}

}  // namespace skein
