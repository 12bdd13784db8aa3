#include "skein/kernels/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/convolution.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/simd-inl.h"

#ifndef SKEIN_KERNELS_CONVOLUTION_ROWS_
#define SKEIN_KERNELS_CONVOLUTION_ROWS_
namespace skein::kernels {
namespace {

struct FoldedRows {
  Elements windows, x;
  std::span<const int32_t> offsets;
  int64_t columns, width, left, first;
  bool masked, accumulate;
  DropoutKeys keys;
};

}  // namespace
}  // namespace skein::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

// Row s is tap k of row s + left - k.
void fold_rows(const FoldedRows& f, int64_t begin, int64_t end) {
  auto sentence = std::upper_bound(f.offsets.begin(), f.offsets.end(), begin);
  const int64_t window_columns = f.width * f.columns;
  for (int64_t s = begin; s < end; ++s) {
    while (*sentence <= s) ++sentence;
    const int64_t last_row = s + f.left;
    const int64_t first_tap = std::max<int64_t>(0, last_row - *sentence + 1);
    const int64_t last_tap = std::min<int64_t>(f.width, last_row - *(sentence - 1) + 1);
    for_lanes(0, f.columns, [&](int64_t c, auto lanes) {
      auto sum = zero();
      for (int64_t k = first_tap; k < last_tap; ++k) {
        const int64_t row = (last_row - k - f.first) * window_columns;
        sum = hn::Add(sum, load(f.windows, row + k * f.columns + c, lanes));
      }
      const int64_t index = s * f.columns + c;
      if (f.masked) sum = hn::Mul(sum, dropout_factors(f.keys, index));
      if (f.accumulate) sum = hn::Add(sum, load(f.x, index, lanes));
      store(sum, f.x, index, lanes);
    });
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {
namespace {

HWY_EXPORT(fold_rows);

constexpr int64_t kBytesPerThread = 16384;

int64_t rows_per_thread(int64_t row_bytes) {
  return std::max<int64_t>(1, kBytesPerThread / std::max<int64_t>(1, row_bytes));
}

void require_rows(std::string_view kernel, int64_t first, int64_t count, int64_t rows) {
  if (first >= 0 && first + count <= rows) return;
  throw ShapeError(fmt::format("{}: rows {} to {} of {}", kernel, first, first + count, rows));
}

}  // namespace

void require_window(std::string_view kernel, const Window& window, int64_t rows) {
  if (window.width < 1 || window.left < 0 || window.left >= window.width) {
    throw ShapeError(fmt::format("{}: a window of {} rows with {} of them on the left", kernel,
                                 window.width, window.left));
  }
  const std::span<const int32_t> offsets = window.offsets;
  if (offsets.empty() && rows == 0) return;
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != rows ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    throw ShapeError(
        fmt::format("{}: the offsets do not divide {} rows into sentences", kernel, rows));
  }
}

void unfold(const Window& window, const Tensor& x, int64_t first, Tensor& out) {
  require_float("unfold", "x", x);
  require_type("unfold", "out", out, x.type());
  require_window("unfold", window, x.rows());
  const int64_t columns = x.columns(), rows = out.rows();
  require_matrix("unfold", "out", out, rows, window.width * columns);
  require_rows("unfold", first, rows, x.rows());
  const auto row_bytes = columns * static_cast<int64_t>(size_of(x.type()));
  const int64_t out_bytes = window.width * row_bytes;
  parallel_for(rows, rows_per_thread(out_bytes), [&](int64_t begin, int64_t end) {
    auto sentence = std::upper_bound(window.offsets.begin(), window.offsets.end(), first + begin);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t row = first + r;
      while (*sentence <= row) ++sentence;
      const int64_t start = row - window.left;
      const int64_t from = std::max<int64_t>(start, *(sentence - 1));
      const int64_t to = std::min<int64_t>(start + window.width, *sentence);
      std::byte* target = out.raw() + r * out_bytes;
      const auto before = static_cast<size_t>((from - start) * row_bytes);
      const auto inside = static_cast<size_t>((to - from) * row_bytes);
      std::memset(target, 0, before);
      std::memcpy(target + before, x.raw() + from * row_bytes, inside);
      std::memset(target + before + inside, 0, static_cast<size_t>(out_bytes) - before - inside);
    }
  });
}

void fold(const Fold& a, Tensor& x) {
  require_float("fold", "x", x);
  require_float("fold", "windows", a.windows);
  require_window("fold", a.window, x.rows());
  require_probability("fold", a.dropout.probability);
  const int64_t columns = x.columns(), rows = a.windows.rows();
  require_matrix("fold", "windows", a.windows, rows, a.window.width * columns);
  require_rows("fold", a.first, rows, x.rows());
  for (const int64_t border : {a.first, a.first + rows}) {
    if (std::binary_search(a.window.offsets.begin(), a.window.offsets.end(), border)) continue;
    if (rows == 0) continue;
    throw ShapeError(fmt::format("fold: row {} lies within a sentence", border));
  }
  const FoldedRows folded = {.windows = elements(a.windows),
                             .x = elements(x),
                             .offsets = a.window.offsets,
                             .columns = columns,
                             .width = a.window.width,
                             .left = a.window.left,
                             .first = a.first,
                             .masked = a.dropout.probability > 0,
                             .accumulate = a.accumulate,
                             .keys = dropout_keys(a.dropout)};
  const auto row_bytes = columns * static_cast<int64_t>(size_of(x.type()));
  parallel_for(rows, rows_per_thread(row_bytes), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(fold_rows)(folded, a.first + begin, a.first + end);
  });
}

}  // namespace skein::kernels
#endif
