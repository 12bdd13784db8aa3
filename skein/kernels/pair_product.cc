#include "skein/kernels/pair_product.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "skein/base/parallel.h"
#include "skein/kernels/matmul.h"
#include "skein/kernels/panels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace skein::kernels {
namespace {

constexpr int64_t kHalf = 2;  // bytes of a bf16

int64_t pairs_of(int64_t k) { return (k + 1) / 2; }

}  // namespace

Tensor pack_pairs(const Tensor& b, bool transposed) {
  const int64_t k = transposed ? b.columns() : b.rows(), n = transposed ? b.rows() : b.columns();
  Tensor packed = Tensor::zeros({panel_count(n), pairs_of(k), kPanelColumns, 2}, DType::kBF16);
  const auto* from = reinterpret_cast<const uint16_t*>(b.raw());
  auto* to = reinterpret_cast<uint16_t*>(packed.raw());
  parallel_for(n, kPanelColumns, [&](int64_t begin, int64_t end) {
    for (int64_t column = begin; column < end; ++column) {
      uint16_t* panel = to + column / kPanelColumns * pairs_of(k) * kPanelColumns * 2;
      for (int64_t i = 0; i < k; ++i) {
        panel[(i / 2 * kPanelColumns + column % kPanelColumns) * 2 + i % 2] =
            transposed ? from[column * k + i] : from[i * n + column];
      }
    }
  });
  return packed;
}

#if defined(__x86_64__)

#define SKEIN_PAIRS __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))

bool pair_products() { return native_bf16(); }

namespace {

// The registers: sums of kRows rows by kVectors vectors, a row of the panel, a pair of a.
constexpr int kRows = 6, kVectors = 4, kLanes = 16;
static_assert(kVectors * kLanes == kPanelColumns);

// sums += a pair of a, the same in all lanes, times the pairs of a panel's row.
SKEIN_PAIRS inline void add_pairs(uint32_t pair, const __m512i* right, __m512* sums) {
  const __m512i left = _mm512_set1_epi32(static_cast<int>(pair));
  for (int v = 0; v < kVectors; ++v) {
    sums[v] = _mm512_dpbf16_ps(sums[v], (__m512bh)left, (__m512bh)right[v]);
  }
}

SKEIN_PAIRS inline void load_row(const std::byte* panel, __m512i* right) {
  for (int v = 0; v < kVectors; ++v) right[v] = _mm512_loadu_si512(panel + v * 64);
}

// kCount rows of a, k long → tile [kCount, kPanelColumns].
template <int kCount>
SKEIN_PAIRS void multiply_tile(const std::byte* a, int64_t k, const std::byte* panel, float* tile) {
  __m512 sums[kCount][kVectors];
  for (auto& row : sums) {
    for (__m512& sum : row) sum = _mm512_setzero_ps();
  }
  __m512i right[kVectors];
  for (int64_t i = 0; i < k / 2; ++i, panel += kPanelColumns * 2 * kHalf) {
    load_row(panel, right);
    for (int r = 0; r < kCount; ++r) {
      uint32_t pair;
      std::memcpy(&pair, a + (r * k + 2 * i) * kHalf, sizeof(pair));
      add_pairs(pair, right, sums[r]);
    }
  }
  if (k % 2 != 0) {
    load_row(panel, right);
    for (int r = 0; r < kCount; ++r) {
      uint16_t last;
      std::memcpy(&last, a + (r * k + k - 1) * kHalf, sizeof(last));
      add_pairs(last, right, sums[r]);
    }
  }
  for (int r = 0; r < kCount; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      _mm512_storeu_ps(tile + r * kPanelColumns + v * kLanes, sums[r][v]);
    }
  }
}

// `count` rows, at most kCount.
template <int kCount>
void multiply_rows(const std::byte* a, int64_t count, int64_t k, const std::byte* panel,
                   float* tile) {
  if constexpr (kCount > 1) {
    if (count < kCount) return multiply_rows<kCount - 1>(a, count, k, panel, tile);
  }
  multiply_tile<kCount>(a, k, panel, tile);
}

void multiply_panel(const PairProduct& p, int64_t panel, int64_t begin, int64_t end) {
  alignas(64) float tile[kRows * kPanelColumns];
  const std::byte* right = p.panels + panel * pairs_of(p.k) * kPanelColumns * 2 * kHalf;
  for (int64_t row = begin; row < end; row += kRows) {
    const int64_t count = std::min<int64_t>(kRows, end - row);
    multiply_rows<kRows>(p.a + row * p.k * kHalf, count, p.k, right, tile);
    finish(p.tail, {.sums = tile,
                    .row = row,
                    .rows = count,
                    .column = panel * kPanelColumns,
                    .columns = kPanelColumns});
  }
}

constexpr int64_t kBlockElements = 1 << 18;

// How many panels for so many rows are worth a thread: 50 us of one core, which reads some 20 bytes
// and makes some 60 multiply-adds a nanosecond.
int64_t grain_of(int64_t k, int64_t rows) {
  const double nanoseconds =
      static_cast<double>(k * kPanelColumns) * (0.1 + 0.017 * static_cast<double>(rows));
  return std::max<int64_t>(1, static_cast<int64_t>(50000 / nanoseconds));
}

}  // namespace

void multiply(const PairProduct& p) {
  const int64_t block =
      std::min(p.rows, std::max<int64_t>(4 * kRows, kBlockElements / p.k / kRows * kRows));
  for_panels(
      {.rows = p.rows,
       .panels = panel_count(p.tail.n),
       .block = block,
       .grain = grain_of(p.k, block)},
      [&](int64_t panel, int64_t begin, int64_t end) { multiply_panel(p, panel, begin, end); });
}

#else

bool pair_products() { return false; }

void multiply(const PairProduct&) {
  throw std::logic_error("this processor has no dot products of pairs");
}

#endif

}  // namespace skein::kernels
