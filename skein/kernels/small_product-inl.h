// Products of matrices of a few dozen rows in f32, in the cache, where calling oneDNN would cost
// more than the arithmetic: blocks of rows times vectors held in registers.
#if defined(SKEIN_KERNELS_SMALL_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKEIN_KERNELS_SMALL_PRODUCT_INL_H_
#undef SKEIN_KERNELS_SMALL_PRODUCT_INL_H_
#else
#define SKEIN_KERNELS_SMALL_PRODUCT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstring>

#include "skein/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Element (row, k) of the left factor is data[row * row_step + k * depth_step]: a matrix or its
// transpose.
struct Left {
  const float* data;
  int64_t row_step, depth_step;
};
// Rows that are `step` apart and padded to whole vectors.
struct Right {
  const float* data;
  int64_t step;
};
struct Result {
  float* data;
  int64_t step;
  bool accumulate;
};

// result [kRows, kVectors vectors] (+)= a [kRows, depth] b [depth, kVectors vectors]
template <int kRows, int kVectors>
HWY_INLINE void multiply_tile(Left a, Right b, Result result, int64_t depth) {
  const F f;
  const auto lanes = static_cast<int64_t>(hn::Lanes(f));
  FV sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] =
          result.accumulate ? hn::Load(f, result.data + r * result.step + v * lanes) : zero();
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    FV right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = hn::Load(f, b.data + k * b.step + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const auto left = set(a.data[r * a.row_step + k * a.depth_step]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(sums[r][v], f, result.data + r * result.step + v * lanes);
    }
  }
}

// The last rows, fewer than kRows + 1.
template <int kRows, int kVectors>
HWY_INLINE void multiply_rest(Left a, Right b, Result result, int64_t rows, int64_t depth) {
  if constexpr (kRows > 0) {
    if (rows == kRows) return multiply_tile<kRows, kVectors>(a, b, result, depth);
    multiply_rest<kRows - 1, kVectors>(a, b, result, rows, depth);
  }
}

template <int kRows, int kVectors>
HWY_NOINLINE void multiply_vectors(Left a, Right b, Result result, int64_t rows, int64_t depth) {
  for (; rows > kRows; rows -= kRows) {
    multiply_tile<kRows, kVectors>(a, b, result, depth);
    a.data += kRows * a.row_step;
    result.data += kRows * result.step;
  }
  multiply_rest<kRows, kVectors>(a, b, result, rows, depth);
}

// result [rows, columns] (+)= a [rows, depth] b [depth, columns]; columns a multiple of a vector.
HWY_INLINE void multiply(Left a, Right b, Result result, int64_t rows, int64_t columns,
                         int64_t depth) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(F()));
#if HWY_TARGET == HWY_AVX3  // 32 registers: 24 sums, 4 of b
  constexpr int kRowsOfFour = 6, kRowsOfTwo = 8;
  for (; columns >= 4 * lanes; columns -= 4 * lanes) {
    multiply_vectors<kRowsOfFour, 4>(a, b, result, rows, depth);
    b.data += 4 * lanes;
    result.data += 4 * lanes;
  }
#else
  constexpr int kRowsOfTwo = 5;
#endif
  for (; columns >= 2 * lanes; columns -= 2 * lanes) {
    multiply_vectors<kRowsOfTwo, 2>(a, b, result, rows, depth);
    b.data += 2 * lanes;
    result.data += 2 * lanes;
  }
  if (columns > 0) multiply_vectors<8, 1>(a, b, result, rows, depth);
}

// to [columns, to_step] = the transpose of from [rows, from_step]; rows a multiple of four or the
// number of lanes, columns a multiple of a vector.
HWY_INLINE void transpose(const float* from, int64_t from_step, int64_t rows, int64_t columns,
                          float* to, int64_t to_step) {
#if HWY_TARGET == HWY_SCALAR
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) to[c * to_step + r] = from[r * from_step + c];
  }
#else
  const F f;
  const hn::RepartitionToWide<U> pairs;
  const auto lanes = static_cast<int64_t>(hn::Lanes(f));
  HWY_ALIGN float blocks[4][hn::MaxLanes(F())];
  for (int64_t r = 0; r < rows; r += 4) {
    for (int64_t c = 0; c < columns; c += lanes) {
      // Four by four within every 128 bits.
      const float* source = from + r * from_step + c;
      const auto r0 = hn::Load(f, source), r1 = hn::Load(f, source + from_step);
      const auto r2 = hn::Load(f, source + 2 * from_step);
      const auto r3 = hn::Load(f, source + 3 * from_step);
      const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(f, r0, r1));
      const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(f, r2, r3));
      const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(f, r0, r1));
      const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(f, r2, r3));
      hn::Store(hn::BitCast(f, hn::InterleaveLower(pairs, low01, low23)), f, blocks[0]);
      hn::Store(hn::BitCast(f, hn::InterleaveUpper(pairs, low01, low23)), f, blocks[1]);
      hn::Store(hn::BitCast(f, hn::InterleaveLower(pairs, high01, high23)), f, blocks[2]);
      hn::Store(hn::BitCast(f, hn::InterleaveUpper(pairs, high01, high23)), f, blocks[3]);
      for (int64_t i = 0; i < lanes; ++i) {
        std::memcpy(to + (c + i) * to_step + r, blocks[i % 4] + i / 4 * 4, 16);
      }
    }
  }
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#endif
