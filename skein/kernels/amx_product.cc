#include "skein/kernels/amx_product.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "skein/base/parallel.h"
#include "skein/kernels/product.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace skein::kernels {
namespace {

constexpr int64_t kTileRows = 16;  // of a tile, whose rows are 64 bytes: 32 bf16 or 16 f32
constexpr int64_t kDepth = 32;     // rows of b that a tile multiplies
constexpr int64_t kBlock = 32;     // rows and columns of a block of four tiles of sums
constexpr int64_t kStepElements = kDepth * kBlock;  // of b, for one block of columns
constexpr int64_t kHalf = 2;                        // bytes of a bf16

int64_t steps_of(int64_t k) { return (k + kDepth - 1) / kDepth; }
int64_t blocks_of(int64_t n) { return (n + kBlock - 1) / kBlock; }

}  // namespace

// A tile of b holds pairs of rows: [16 pairs][16 columns][2].
Tensor pack_amx(const Tensor& b, bool transposed) {
  const int64_t k = transposed ? b.columns() : b.rows(), n = transposed ? b.rows() : b.columns();
  Tensor packed = Tensor::zeros({blocks_of(n), steps_of(k), kStepElements}, DType::kBF16);
  const auto* from = reinterpret_cast<const uint16_t*>(b.raw());
  auto* to = reinterpret_cast<uint16_t*>(packed.raw());
  parallel_for(n, 16, [&](int64_t begin, int64_t end) {
    for (int64_t column = begin; column < end; ++column) {
      uint16_t* block = to + column / kBlock * steps_of(k) * kStepElements;
      const int64_t tile = column % kBlock / kTileRows, lane = column % kTileRows;
      for (int64_t i = 0; i < k; ++i) {
        uint16_t* step = block + i / kDepth * kStepElements + tile * kStepElements / 2;
        step[i % kDepth / 2 * kDepth + lane * 2 + i % 2] =
            transposed ? from[column * k + i] : from[i * n + column];
      }
    }
  });
  return packed;
}

#if defined(__x86_64__)

namespace {

struct alignas(64) TileConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

constexpr TileConfig whole_tiles() {
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    config.row_bytes[tile] = 64;
    config.rows[tile] = kTileRows;
  }
  return config;
}

// sums [16 or 32, 32] = a b over `steps` tiles; rows of a are a_step bytes apart.
template <bool kTwo>
__attribute__((target("amx-tile,amx-bf16"))) void multiply_block(const std::byte* a, int64_t a_step,
                                                                 const std::byte* b, int64_t steps,
                                                                 float* sums) {
  constexpr int64_t kTileBytes = kTileRows * 64, kSumStep = kBlock * 4;
  _tile_zero(0);
  _tile_zero(1);
  if constexpr (kTwo) {
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t step = 0; step < steps; ++step, a += kDepth * kHalf, b += 2 * kTileBytes) {
    _tile_loadd(4, a, a_step);
    _tile_loadd(6, b, 64);
    _tile_loadd(7, b + kTileBytes, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (kTwo) {
      _tile_loadd(5, a + kTileRows * a_step, a_step);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, sums, kSumStep);
  _tile_stored(1, sums + kTileRows, kSumStep);
  if constexpr (kTwo) {
    _tile_stored(2, sums + kTileRows * kBlock, kSumStep);
    _tile_stored(3, sums + kTileRows * kBlock + kTileRows, kSumStep);
  }
}

__attribute__((target("amx-tile"))) void configure() {
  static constexpr TileConfig kConfig = whole_tiles();
  _tile_loadconfig(&kConfig);
}
__attribute__((target("amx-tile"))) void release() { _tile_release(); }

// Rows [begin, end) of a, a multiple of 32 long and zero where there are none: those of `a` itself
// where that is the same.
class PaddedRows {
 public:
  explicit PaddedRows(const AmxProduct& p) : p_(p) {}

  void load(int64_t begin, int64_t end) {
    if (begin == begin_) return;
    begin_ = begin;
    const int64_t row = p_.k * kHalf;
    data_ = p_.a + begin * row;
    step_ = row;
    if (p_.k % kDepth == 0 && (end - begin) % kTileRows == 0) return;
    step_ = steps_of(p_.k) * kDepth * kHalf;
    copy_.assign(static_cast<size_t>(step_ * kBlock), std::byte{0});
    for (int64_t r = begin; r < end; ++r) {
      std::memcpy(copy_.data() + (r - begin) * step_, p_.a + r * row, static_cast<size_t>(row));
    }
    data_ = copy_.data();
  }
  const std::byte* data() const { return data_; }
  int64_t step() const { return step_; }

 private:
  const AmxProduct& p_;
  int64_t begin_ = -1;
  std::vector<std::byte> copy_;
  const std::byte* data_ = nullptr;
  int64_t step_ = 0;
};

// Rows [begin, end), all in one block or whole blocks, by blocks [first, last) of columns.
void multiply_part(const AmxProduct& p, PaddedRows& rows, int64_t begin, int64_t end, int64_t first,
                   int64_t last) {
  alignas(64) float sums[kBlock * kBlock];
  const int64_t steps = steps_of(p.k);
  for (int64_t row = begin; row < end; row += kBlock) {
    const int64_t count = std::min(kBlock, end - row);
    rows.load(row, row + count);
    for (int64_t block = first; block < last; ++block) {
      const std::byte* b = p.b + block * steps * kStepElements * kHalf;
      const auto multiply = count > kTileRows ? multiply_block<true> : multiply_block<false>;
      multiply(rows.data(), rows.step(), b, steps, sums);
      finish(
          p.tail,
          {.sums = sums, .row = row, .rows = count, .column = block * kBlock, .columns = kBlock});
    }
  }
}

// Blocks of columns that stay in the second-level cache while all rows pass.
int64_t columns_at_once(int64_t k) {
  constexpr int64_t kElements = 1 << 18;
  return std::max<int64_t>(1, kElements / (steps_of(k) * kStepElements));
}

}  // namespace

void multiply(const AmxProduct& p) {
  const int64_t row_blocks = (p.rows + kBlock - 1) / kBlock;
  const int64_t at_once = columns_at_once(p.k), blocks = blocks_of(p.tail.n);
  const int64_t parts = (blocks + at_once - 1) / at_once;
  // How many parts are worth a thread: 50 us of one core, which reads some 20 bytes and makes some
  // 400 multiply-adds a nanosecond.
  const double nanoseconds =
      static_cast<double>(steps_of(p.k) * kStepElements * at_once) * (0.1 + 0.08);
  const auto grain = std::max<int64_t>(1, static_cast<int64_t>(50000 / nanoseconds));
  parallel_for(parts * row_blocks, grain, [&](int64_t begin, int64_t end) {
    configure();
    PaddedRows rows(p);
    for (int64_t task = begin; task < end; ++task) {
      const int64_t row = task % row_blocks * kBlock, first = task / row_blocks * at_once;
      multiply_part(p, rows, row, std::min(row + kBlock, p.rows), first,
                    std::min(first + at_once, blocks));
    }
    release();
  });
}

#else

void multiply(const AmxProduct&) { throw std::logic_error("this processor has no matrix tiles"); }

#endif

}  // namespace skein::kernels
