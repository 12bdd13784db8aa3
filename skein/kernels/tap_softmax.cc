#include <algorithm>
#include <vector>

#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/light_convolution.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/tap_softmax.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

// Rows are short runs of taps, most of them shorter than a vector, so they are worked on in buffers
// of floats that whole vectors may be read from and written to beyond the last tap.
class Buffer {
 public:
  explicit Buffer(int64_t columns)
      : columns_(columns), values_(static_cast<size_t>(columns) + hn::Lanes(F())) {}

  void read(const Elements& from, int64_t row) {
    for_lanes(0, columns_, [&](int64_t c, auto lanes) {
      hn::StoreU(load(from, row * columns_ + c, lanes), F(), at(c));
    });
  }
  void write(const Elements& to, int64_t row) {
    for_lanes(0, columns_, [&](int64_t c, auto lanes) {
      store(hn::LoadU(F(), at(c)), to, row * columns_ + c, lanes);
    });
  }
  float* at(int64_t column) { return values_.data() + column; }

 private:
  int64_t columns_;
  std::vector<float> values_;
};

// Calls body(tap, its vector's lanes) for vectors of taps; the last may have lanes beyond.
template <typename Body>
HWY_INLINE void for_taps(int64_t taps, Body&& body) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(F()));
  for (int64_t k = 0; k < taps; k += lanes) {
    body(k, hn::FirstN(F(), static_cast<size_t>(std::min(lanes, taps - k))));
  }
}

// A vector that is stored reaches into the next head, which is written later.
void softmax_rows(int64_t taps, int64_t columns, Elements scores, Elements weights, int64_t begin,
                  int64_t end) {
  Buffer in(columns), out(columns);
  for (int64_t row = begin; row < end; ++row) {
    in.read(scores, row);
    for (int64_t first = 0; first < columns; first += taps) {
      auto highest = set(in.at(first)[0]);
      for_taps(taps, [&](int64_t k, auto inside) {
        const auto value = hn::LoadU(F(), in.at(first + k));
        highest = hn::Max(highest, hn::IfThenElse(inside, value, highest));
      });
      const auto shift = set(max_of_lanes(highest));
      auto sum = zero();
      for_taps(taps, [&](int64_t k, auto inside) {
        const auto shifted = hn::Sub(hn::LoadU(F(), in.at(first + k)), shift);
        const auto value = hn::IfThenElseZero(inside, exp(hn::IfThenElseZero(inside, shifted)));
        hn::StoreU(value, F(), out.at(first + k));
        sum = hn::Add(sum, value);
      });
      const auto scale = set(1 / sum_of_lanes(sum));
      for_taps(taps, [&](int64_t k, auto) {
        hn::StoreU(hn::Mul(scale, hn::LoadU(F(), out.at(first + k))), F(), out.at(first + k));
      });
    }
    out.write(weights, row);
  }
}

void softmax_gradient_rows(int64_t taps, int64_t columns, Elements weights, Elements d_weights,
                           Elements d_scores, int64_t begin, int64_t end) {
  Buffer w(columns), dw(columns), out(columns);
  for (int64_t row = begin; row < end; ++row) {
    w.read(weights, row);
    dw.read(d_weights, row);
    for (int64_t first = 0; first < columns; first += taps) {
      auto sum = zero();
      for_taps(taps, [&](int64_t k, auto inside) {
        const auto product =
            hn::Mul(hn::LoadU(F(), w.at(first + k)), hn::LoadU(F(), dw.at(first + k)));
        sum = hn::Add(sum, hn::IfThenElseZero(inside, product));
      });
      const auto mean = set(sum_of_lanes(sum));
      for_taps(taps, [&](int64_t k, auto) {
        const auto distance = hn::Sub(hn::LoadU(F(), dw.at(first + k)), mean);
        hn::StoreU(hn::Mul(hn::LoadU(F(), w.at(first + k)), distance), F(), out.at(first + k));
      });
    }
    out.write(d_scores, row);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <fmt/format.h>

namespace skein::kernels {
namespace {

HWY_EXPORT(softmax_rows);
HWY_EXPORT(softmax_gradient_rows);

constexpr int64_t kElementsPerThread = 4096;

int64_t rows_per_thread(int64_t columns) {
  return std::max<int64_t>(1, kElementsPerThread / std::max<int64_t>(1, columns));
}

void require_taps(int64_t taps, const Tensor& tensor) {
  if (taps >= 1 && tensor.columns() % taps == 0) return;
  throw ShapeError(
      fmt::format("tap_softmax: {} columns are no heads of {} taps", tensor.columns(), taps));
}

}  // namespace

void tap_softmax(int64_t taps, const Tensor& scores, Tensor& weights) {
  require_float("tap_softmax", "scores", scores);
  require_float("tap_softmax", "weights", weights);
  require_matrix("tap_softmax", "weights", weights, scores.rows(), scores.columns());
  require_taps(taps, scores);
  const int64_t columns = scores.columns();
  parallel_for(scores.rows(), rows_per_thread(columns), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(softmax_rows)
    (taps, columns, elements(scores), elements(weights), begin, end);
  });
}

void tap_softmax_gradient(int64_t taps, const Tensor& weights, const Tensor& d_weights,
                          Tensor& d_scores) {
  const int64_t columns = weights.columns();
  require_float("tap_softmax_gradient", "weights", weights);
  require_float("tap_softmax_gradient", "d_weights", d_weights);
  require_float("tap_softmax_gradient", "d_scores", d_scores);
  require_matrix("tap_softmax_gradient", "d_weights", d_weights, weights.rows(), columns);
  require_matrix("tap_softmax_gradient", "d_scores", d_scores, weights.rows(), columns);
  require_taps(taps, weights);
  parallel_for(weights.rows(), rows_per_thread(columns), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(softmax_gradient_rows)
    (taps, columns, elements(weights), elements(d_weights), elements(d_scores), begin, end);
  });
}

}  // namespace skein::kernels
#endif
