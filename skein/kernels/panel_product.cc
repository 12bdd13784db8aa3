#include "skein/kernels/panel_product.h"

#include <algorithm>

#include "skein/base/parallel.h"
#include "skein/kernels/panels.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/panel_product.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

// The registers: sums of kRows rows by kVectors vectors, a row of the panel, a value of a.
#if HWY_TARGET == HWY_AVX3
constexpr int kRows = 6, kVectors = 4;
#else
constexpr int kRows = 5, kVectors = 2;
#endif

// Columns [column, column + kVectors vectors) of a panel for kCount rows → tile.
template <int kCount>
HWY_INLINE void multiply_tile(const float* a, int64_t k, const float* panel, float* tile) {
  const F f;
  const auto lanes = static_cast<int64_t>(hn::Lanes(f));
  FV sums[kCount][kVectors];
  for (int r = 0; r < kCount; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = zero();
  }
  for (int64_t i = 0; i < k; ++i) {
    FV right[kVectors];
    for (int v = 0; v < kVectors; ++v)
      right[v] = hn::LoadU(f, panel + i * kPanelColumns + v * lanes);
    for (int r = 0; r < kCount; ++r) {
      const auto left = set(a[r * k + i]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
    }
  }
  for (int r = 0; r < kCount; ++r) {
    for (int v = 0; v < kVectors; ++v)
      hn::StoreU(sums[r][v], f, tile + r * kPanelColumns + v * lanes);
  }
}

// `count` rows, at most kRows; all code is of the same order in k.
template <int kCount>
HWY_INLINE void multiply_rows(const float* a, int64_t count, int64_t k, const float* panel,
                              float* tile) {
  if constexpr (kCount > 1) {
    if (count < kCount) return multiply_rows<kCount - 1>(a, count, k, panel, tile);
  }
  const auto step = kVectors * static_cast<int64_t>(hn::Lanes(F()));
  for (int64_t column = 0; column < kPanelColumns; column += step) {
    multiply_tile<kCount>(a, k, panel + column, tile + column);
  }
}

void multiply_panel(const PanelProduct& p, int64_t panel, int64_t begin, int64_t end) {
  HWY_ALIGN float tile[kRows * kPanelColumns];
  for (int64_t row = begin; row < end; row += kRows) {
    const int64_t count = std::min<int64_t>(kRows, end - row);
    multiply_rows<kRows>(p.a + row * p.k, count, p.k, p.panels + panel * p.k * kPanelColumns, tile);
    finish(p.tail, {.sums = tile,
                    .row = row,
                    .rows = count,
                    .column = panel * kPanelColumns,
                    .columns = kPanelColumns});
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {
namespace {

HWY_EXPORT(multiply_panel);

constexpr int64_t kBlockElements = 1 << 17;

// How many panels for so many rows are worth a thread: 50 us of one core, which reads some 10 bytes
// and makes some 25 multiply-adds a nanosecond.
int64_t grain_of(int64_t k, int64_t rows) {
  const double nanoseconds =
      static_cast<double>(k * kPanelColumns) * (0.4 + 0.04 * static_cast<double>(rows));
  return std::max<int64_t>(1, static_cast<int64_t>(50000 / nanoseconds));
}

}  // namespace

Tensor pack_panels(const Tensor& b, bool transposed) {
  const int64_t k = transposed ? b.columns() : b.rows(), n = transposed ? b.rows() : b.columns();
  Tensor packed = Tensor::uninitialized({panel_count(n), k, kPanelColumns}, DType::kF32);
  const float* from = b.data<float>();
  float* to = packed.data<float>();
  parallel_for(panel_count(n), 1, [&](int64_t begin, int64_t end) {
    for (int64_t column = begin * kPanelColumns; column < end * kPanelColumns; ++column) {
      float* target = to + column / kPanelColumns * k * kPanelColumns + column % kPanelColumns;
      for (int64_t i = 0; i < k; ++i) {
        const float value = column >= n  ? 0
                            : transposed ? from[column * k + i]
                                         : from[i * n + column];
        target[i * kPanelColumns] = value;
      }
    }
  });
  return packed;
}

void multiply(const PanelProduct& p) {
  const int64_t block = std::min(p.rows, std::max<int64_t>(24, kBlockElements / p.k / 24 * 24));
  for_panels({.rows = p.rows,
              .panels = panel_count(p.tail.n),
              .block = block,
              .grain = grain_of(p.k, block)},
             [&](int64_t panel, int64_t begin, int64_t end) {
               HWY_DYNAMIC_DISPATCH(multiply_panel)(p, panel, begin, end);
             });
}

}  // namespace skein::kernels
#endif
