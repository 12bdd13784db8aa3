#include "skein/kernels/elementwise.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/dropout_hash.h"
#include "skein/kernels/plain.h"

namespace skein::kernels {
namespace {

constexpr int64_t kGrain = 8192;

}  // namespace

void convert(const Tensor& from, Tensor& to) {
  require_float("convert", "from", from);
  require_float("convert", "to", to);
  require_elements("convert", "to", to, from.elements());
  parallel_for(from.elements(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) store(to, i, load(from, i));
  });
}

void add(const Tensor& a, const Tensor& b, Tensor& out) {
  require_float("add", "a", a);
  require_float("add", "b", b);
  require_float("add", "out", out);
  require_elements("add", "b", b, a.elements());
  require_elements("add", "out", out, a.elements());
  parallel_for(a.elements(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) store(out, i, load(a, i) + load(b, i));
  });
}

void accumulate(const Tensor& x, Tensor& into) { add(into, x, into); }

void scale(float factor, Tensor& x) {
  require_float("scale", "x", x);
  parallel_for(x.elements(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) store(x, i, factor * load(x, i));
  });
}

void column_sum(const Tensor& x, Tensor& out, bool accumulate) {
  require_float("column_sum", "x", x);
  require_type("column_sum", "out", out, DType::kF32);
  const int64_t columns = x.columns(), rows = x.rows();
  require_elements("column_sum", "out", out, columns);
  float* sums = out.data<float>();
  parallel_for(columns, 64, [&](int64_t begin, int64_t end) {
    if (!accumulate) std::fill(sums + begin, sums + end, 0.0f);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = begin; c < end; ++c) sums[c] += load(x, r * columns + c);
    }
  });
}

double sum_of_squares(const Tensor& x) {
  require_float("sum_of_squares", "x", x);
  constexpr int64_t kChunk = 16384;
  const int64_t chunks = (x.elements() + kChunk - 1) / kChunk;
  std::vector<double> sums(static_cast<size_t>(chunks));
  parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      double sum = 0;
      const int64_t last = std::min(x.elements(), (chunk + 1) * kChunk);
      for (int64_t i = chunk * kChunk; i < last; ++i) {
        sum += static_cast<double>(load(x, i)) * static_cast<double>(load(x, i));
      }
      sums[static_cast<size_t>(chunk)] = sum;
    }
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

bool all_finite(const Tensor& x) {
  require_float("all_finite", "x", x);
  for (int64_t i = 0; i < x.elements(); ++i) {
    if (!std::isfinite(load(x, i))) return false;
  }
  return true;
}

void dropout(const Dropout& mask, const Tensor& x, Tensor& out) {
  require_float("dropout", "x", x);
  require_float("dropout", "out", out);
  require_elements("dropout", "out", out, x.elements());
  require_probability("dropout", mask.probability);
  const DropoutKeys keys = dropout_keys(mask);
  parallel_for(x.elements(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      store(out, i, load(x, i) * dropout_factor(keys, static_cast<uint64_t>(i)));
    }
  });
}

float dropout_factor(const Dropout& mask, uint64_t index) {
  return dropout_factor(dropout_keys(mask), index);
}

}  // namespace skein::kernels
