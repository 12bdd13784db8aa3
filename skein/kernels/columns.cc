#include "skein/kernels/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "skein/base/error.h"
#include "skein/base/parallel.h"

namespace skein::kernels {

void copy_columns(const MatrixView& from, const MatrixView& to) {
  if (from.type != to.type || from.rows != to.rows || from.columns != to.columns) {
    throw ShapeError(fmt::format("copy_columns: {} x {} of {} to {} x {} of {}", from.rows,
                                 from.columns, name_of(from.type), to.rows, to.columns,
                                 name_of(to.type)));
  }
  constexpr int64_t kBytesPerThread = 16384;
  const auto element = static_cast<int64_t>(size_of(from.type));
  const int64_t bytes = from.columns * element;
  const int64_t grain = std::max<int64_t>(1, kBytesPerThread / std::max<int64_t>(1, bytes));
  parallel_for(from.rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      std::memcpy(to.data + r * to.stride * element, from.data + r * from.stride * element,
                  static_cast<size_t>(bytes));
    }
  });
}

}  // namespace skein::kernels
