#include "skein/kernels/product_tail.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/product_tail.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

void finish_tile(const ProductTail& p, const ProductTile& tile) {
  const Elements sums = {reinterpret_cast<std::byte*>(const_cast<float*>(tile.sums)), false};
  const int64_t columns = std::min(tile.columns, p.n - tile.column);
  for (int64_t r = 0; r < tile.rows; ++r) {
    const Elements out = p.out.from((tile.row + r) * p.n + tile.column);
    for_lanes(0, columns, [&](int64_t c, auto part) {
      auto value = load(sums, r * tile.columns + c, part);
      if (p.bias) value = hn::Add(value, load(p.bias, tile.column + c, part));
      if (p.accumulate) value = hn::Add(value, load(out, c, part));
      if (p.relu) value = at_least(0, value);
      store(value, out, c, part);
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

HWY_EXPORT(finish_tile);

}  // namespace

void finish(const ProductTail& tail, const ProductTile& tile) {
  HWY_DYNAMIC_DISPATCH(finish_tile)(tail, tile);
}

}  // namespace skein::kernels
#endif
