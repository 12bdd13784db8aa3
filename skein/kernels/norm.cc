#include "skein/kernels/norm.h"

#include <cmath>
#include <vector>

#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/dropout_hash.h"
#include "skein/kernels/plain.h"

namespace skein::kernels {

void layer_norm(const NormForward& a) {
  const int64_t rows = a.x.rows(), columns = a.x.columns();
  const DropoutKeys keys = dropout_keys(a.dropout);
  a.statistics.mean = Tensor::uninitialized({rows}, DType::kF32);
  a.statistics.inverse_std = Tensor::uninitialized({rows}, DType::kF32);
  parallel_for(rows, 16, [&](int64_t begin, int64_t end) {
    std::vector<float> sum(static_cast<size_t>(columns));
    for (int64_t r = begin; r < end; ++r) {
      float mean = 0, variance = 0;
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t i = r * columns + c;
        float value = load(a.x, i) * dropout_factor(keys, static_cast<uint64_t>(i));
        if (a.residual.defined()) value += load(a.residual, i);
        if (a.sum.defined()) {
          store(a.sum, i, value);
          value = load(a.sum, i);
        }
        sum[static_cast<size_t>(c)] = value;
        mean += value;
      }
      mean /= static_cast<float>(columns);
      for (const float value : sum) variance += (value - mean) * (value - mean);
      const float inverse = 1 / std::sqrt(variance / static_cast<float>(columns) + a.epsilon);
      for (int64_t c = 0; c < columns; ++c) {
        store(a.y, r * columns + c,
              (sum[static_cast<size_t>(c)] - mean) * inverse * load(a.gain, c) + load(a.bias, c));
      }
      store(a.statistics.mean, r, mean);
      store(a.statistics.inverse_std, r, inverse);
    }
  });
}

void layer_norm_gradient(const NormBackward& a) {
  const int64_t rows = a.sum.rows(), columns = a.sum.columns();
  const DropoutKeys keys = dropout_keys(a.dropout);
  const auto normal = [&](int64_t r, int64_t c) {
    return (load(a.sum, r * columns + c) - load(a.statistics.mean, r)) *
           load(a.statistics.inverse_std, r);
  };
  parallel_for(a.d_gain.defined() ? columns : 0, 16, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      float gain = a.accumulate ? load(a.d_gain, c) : 0,
            bias = a.accumulate ? load(a.d_bias, c) : 0;
      for (int64_t r = 0; r < rows; ++r) {
        gain += load(a.dy, r * columns + c) * normal(r, c);
        bias += load(a.dy, r * columns + c);
      }
      store(a.d_gain, c, gain);
      store(a.d_bias, c, bias);
    }
  });
  parallel_for(rows, 16, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      float mean_d = 0, mean_dn = 0;
      for (int64_t c = 0; c < columns; ++c) {
        const float d = load(a.dy, r * columns + c) * load(a.gain, c);
        mean_d += d / static_cast<float>(columns);
        mean_dn += d * normal(r, c) / static_cast<float>(columns);
      }
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t i = r * columns + c;
        const float d = load(a.dy, i) * load(a.gain, c);
        float result = load(a.statistics.inverse_std, r) * (d - mean_d - normal(r, c) * mean_dn);
        if (a.d_sum_extra.defined()) result += load(a.d_sum_extra, i);
        store(a.d_sum, i, result);
        if (a.d_x.defined())
          store(a.d_x, i, result * dropout_factor(keys, static_cast<uint64_t>(i)));
      }
    }
  });
}

}  // namespace skein::kernels
