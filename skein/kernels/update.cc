#include "skein/kernels/update.h"

#include <cmath>

#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "skein/kernels/update.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "skein/kernels/simd-inl.h"

// One body for every instruction set, so shared declarations stand outside of the target
// namespaces.
#ifndef SKEIN_KERNELS_UPDATE_BUFFERS_
#define SKEIN_KERNELS_UPDATE_BUFFERS_
namespace skein::kernels {
namespace {

struct Buffers {
  Elements gradient, values, first, second, half;
};

// What is constant over a step of Adam.
struct AdamFactors {
  float beta1, beta2, rest1, rest2, gradient_scale, rate, epsilon, keep;
};
struct SgdFactors {
  float lr, momentum, weight_decay, gradient_scale;
};
struct NagFactors {
  float gradient, values, old_buffer, look_ahead, new_buffer;
};

}  // namespace
}  // namespace skein::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace skein::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename Lanes>
HWY_INLINE void store_values(FV value, const Buffers& b, int64_t i, Lanes lanes) {
  store(value, b.values, i, lanes);
  if (b.half) store(value, b.half, i, lanes);
}

void adam_range(const AdamFactors& f, const Buffers& b, int64_t begin, int64_t end) {
  for_lanes(begin, end, [&](int64_t i, auto lanes) {
    const auto g = hn::Mul(set(f.gradient_scale), load(b.gradient, i, lanes));
    const auto mean = hn::MulAdd(set(f.beta1), load(b.first, i, lanes), hn::Mul(set(f.rest1), g));
    const auto variance =
        hn::MulAdd(set(f.beta2), load(b.second, i, lanes), hn::Mul(hn::Mul(set(f.rest2), g), g));
    store(mean, b.first, i, lanes);
    store(variance, b.second, i, lanes);
    const auto step =
        hn::Div(hn::Mul(set(f.rate), mean), hn::Add(hn::Sqrt(variance), set(f.epsilon)));
    store_values(hn::MulSub(load(b.values, i, lanes), set(f.keep), step), b, i, lanes);
  });
}

void nag_range(const NagFactors& f, const Buffers& b, int64_t begin, int64_t end) {
  for_lanes(begin, end, [&](int64_t i, auto lanes) {
    const auto g = hn::Mul(set(f.gradient), load(b.gradient, i, lanes));
    const auto buffer = load(b.first, i, lanes);
    const auto moved =
        hn::MulAdd(set(f.old_buffer), buffer, hn::Mul(set(f.values), load(b.values, i, lanes)));
    store(hn::MulSub(set(f.new_buffer), buffer, g), b.first, i, lanes);
    store_values(hn::NegMulAdd(set(f.look_ahead), g, moved), b, i, lanes);
  });
}

void sgd_range(const SgdFactors& f, const Buffers& b, int64_t begin, int64_t end) {
  for_lanes(begin, end, [&](int64_t i, auto lanes) {
    const auto values = load(b.values, i, lanes);
    auto g = hn::MulAdd(set(f.weight_decay), values,
                        hn::Mul(set(f.gradient_scale), load(b.gradient, i, lanes)));
    if (b.first) {
      g = hn::MulAdd(set(f.momentum), load(b.first, i, lanes), g);
      store(g, b.first, i, lanes);
    }
    store_values(hn::NegMulAdd(set(f.lr), g, values), b, i, lanes);
  });
}

void moving_average_range(float rest, Elements values, Elements average, int64_t begin,
                          int64_t end) {
  for_lanes(begin, end, [&](int64_t i, auto lanes) {
    const auto old = load(average, i, lanes);
    store(hn::MulAdd(set(rest), hn::Sub(load(values, i, lanes), old), old), average, i, lanes);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace skein::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skein::kernels {
namespace {

HWY_EXPORT(adam_range);
HWY_EXPORT(nag_range);
HWY_EXPORT(sgd_range);
HWY_EXPORT(moving_average_range);

constexpr int64_t kGrain = 16384;

void require_flat(std::string_view kernel, std::string_view name, const Tensor& tensor,
                  int64_t elements) {
  require_type(kernel, name, tensor, DType::kF32);
  require_elements(kernel, name, tensor, elements);
}

void require_half(std::string_view kernel, const Tensor& half, int64_t elements) {
  if (!half.defined()) return;
  require_type(kernel, "half", half, DType::kBF16);
  require_elements(kernel, "half", half, elements);
}

}  // namespace

void adam(const AdamStep& step, const Tensor& gradient, Tensor& values, Tensor& mean,
          Tensor& variance, Tensor& half) {
  const int64_t count = values.elements();
  require_flat("adam", "gradient", gradient, count);
  require_flat("adam", "values", values, count);
  require_flat("adam", "mean", mean, count);
  require_flat("adam", "variance", variance, count);
  require_half("adam", half, count);
  const auto t = static_cast<double>(step.step);
  const double bias1 = 1 - std::pow(step.beta1, t);
  const double root2 = std::sqrt(1 - std::pow(step.beta2, t));
  const AdamFactors factors = {
      .beta1 = static_cast<float>(step.beta1),
      .beta2 = static_cast<float>(step.beta2),
      .rest1 = static_cast<float>(1 - step.beta1),
      .rest2 = static_cast<float>(1 - step.beta2),
      .gradient_scale = step.gradient_scale,
      .rate = static_cast<float>(step.lr * root2 / bias1),
      // Corrected: lr / bias1 * mean / (sqrt(variance) / root2 + epsilon), root2 multiplied out.
      .epsilon = static_cast<float>(step.corrected_epsilon ? step.epsilon * root2 : step.epsilon),
      .keep = static_cast<float>(1 - step.weight_decay * step.lr)};
  const Buffers buffers = {elements(gradient), elements(values), elements(mean), elements(variance),
                           elements(half)};
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(adam_range)(factors, buffers, begin, end);
  });
}

void nag(const NagStep& step, const Tensor& gradient, Tensor& values, Tensor& buffer,
         Tensor& half) {
  const int64_t count = values.elements();
  require_flat("nag", "gradient", gradient, count);
  require_flat("nag", "values", values, count);
  require_flat("nag", "buffer", buffer, count);
  require_half("nag", half, count);
  const double m = step.momentum;
  const double correction = step.previous_lr == 0 ? step.lr : step.lr / step.previous_lr;
  const NagFactors factors = {.gradient = static_cast<float>(step.lr) * step.gradient_scale,
                              .values = static_cast<float>(1 - step.lr * step.weight_decay),
                              .old_buffer = static_cast<float>(m * m * correction),
                              .look_ahead = static_cast<float>(1 + m),
                              .new_buffer = static_cast<float>(m * correction)};
  const Buffers buffers = {
      elements(gradient), elements(values), elements(buffer), {}, elements(half)};
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(nag_range)(factors, buffers, begin, end);
  });
}

void sgd(const SgdStep& step, const Tensor& gradient, Tensor& values, Tensor& buffer,
         Tensor& half) {
  const int64_t count = values.elements();
  require_flat("sgd", "gradient", gradient, count);
  require_flat("sgd", "values", values, count);
  if (buffer.defined()) require_flat("sgd", "buffer", buffer, count);
  require_half("sgd", half, count);
  const SgdFactors factors = {.lr = static_cast<float>(step.lr),
                              .momentum = static_cast<float>(step.momentum),
                              .weight_decay = static_cast<float>(step.weight_decay),
                              .gradient_scale = step.gradient_scale};
  const Buffers buffers = {
      elements(gradient), elements(values), elements(buffer), {}, elements(half)};
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(sgd_range)(factors, buffers, begin, end);
  });
}

void moving_average(double decay, const Tensor& values, Tensor& average) {
  require_flat("moving_average", "values", values, average.elements());
  require_flat("moving_average", "average", average, values.elements());
  parallel_for(values.elements(), kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(moving_average_range)
    (static_cast<float>(1 - decay), elements(values), elements(average), begin, end);
  });
}

}  // namespace skein::kernels
#endif
