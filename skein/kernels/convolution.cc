#include "skein/kernels/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/check.h"

namespace skein::kernels {
namespace {

constexpr int64_t kBytesPerThread = 16384;

int64_t rows_per_thread(int64_t row_bytes) {
  return std::max<int64_t>(1, kBytesPerThread / std::max<int64_t>(1, row_bytes));
}

void require_window(const Window& window, const Tensor& x) {
  if (window.width < 1 || window.left < 0 || window.left >= window.width) {
    throw ShapeError(fmt::format("unfold: a window of {} rows with {} of them on the left",
                                 window.width, window.left));
  }
  const std::span<const int32_t> offsets = window.offsets;
  if (offsets.empty() && x.rows() == 0) return;
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != x.rows() ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    throw ShapeError(
        fmt::format("unfold: the offsets do not divide {} rows into sentences", x.rows()));
  }
}

}  // namespace

void unfold(const Window& window, const Tensor& x, int64_t first, Tensor& out) {
  require_float("unfold", "x", x);
  require_type("unfold", "out", out, x.type());
  require_window(window, x);
  const int64_t columns = x.columns(), rows = out.rows();
  require_matrix("unfold", "out", out, rows, window.width * columns);
  if (rows == 0) return;
  if (first < 0 || first + rows > x.rows()) {
    throw ShapeError(fmt::format("unfold: rows {} to {} of {}", first, first + rows, x.rows()));
  }
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

void mirrored_taps(int64_t width, const Tensor& weight, Tensor& out) {
  const int64_t outputs = weight.rows(), inputs = out.columns();
  require_type("mirrored_taps", "out", out, weight.type());
  require_matrix("mirrored_taps", "weight", weight, outputs, width * inputs);
  require_matrix("mirrored_taps", "out", out, width * outputs, inputs);
  const auto bytes = inputs * static_cast<int64_t>(size_of(weight.type()));
  parallel_for(width * outputs, rows_per_thread(bytes), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t tap = width - 1 - row / outputs, output = row % outputs;
      std::memcpy(out.raw() + row * bytes, weight.raw() + (output * width + tap) * bytes,
                  static_cast<size_t>(bytes));
    }
  });
}

}  // namespace skein::kernels
