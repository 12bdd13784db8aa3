#include "skein/kernels/update.h"

#include <cmath>

#include "skein/base/parallel.h"
#include "skein/kernels/check.h"
#include "skein/kernels/plain.h"

namespace skein::kernels {
namespace {

constexpr int64_t kGrain = 8192;

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
  const double bias1 = 1 - std::pow(static_cast<double>(step.beta1), t);
  const double root2 = std::sqrt(1 - std::pow(static_cast<double>(step.beta2), t));
  // With the corrected epsilon: lr / bias1 * m / (sqrt(v) / root2 + eps).
  const double lr = static_cast<double>(step.lr);
  const auto rate = static_cast<float>(lr * root2 / bias1);
  const auto epsilon = step.corrected_epsilon
                           ? static_cast<float>(static_cast<double>(step.epsilon) * root2)
                           : step.epsilon;
  const float keep = 1 - step.weight_decay * step.lr;
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    float *v = values.data<float>(), *m = mean.data<float>(), *s = variance.data<float>();
    const float* gradients = gradient.data<float>();
    for (int64_t i = begin; i < end; ++i) {
      const float g = step.gradient_scale * gradients[i];
      m[i] = step.beta1 * m[i] + (1 - step.beta1) * g;
      s[i] = step.beta2 * s[i] + (1 - step.beta2) * g * g;
      v[i] = v[i] * keep - rate * m[i] / (std::sqrt(s[i]) + epsilon);
      if (half.defined()) store(half, i, v[i]);
    }
  });
}

void nag(const NagStep& step, const Tensor& gradient, Tensor& values, Tensor& buffer,
         Tensor& half) {
  const int64_t count = values.elements();
  require_flat("nag", "gradient", gradient, count);
  require_flat("nag", "values", values, count);
  require_flat("nag", "buffer", buffer, count);
  require_half("nag", half, count);
  const float correction = step.previous_lr == 0 ? step.lr : step.lr / step.previous_lr;
  const float m = step.momentum;
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    float *v = values.data<float>(), *b = buffer.data<float>();
    const float* gradients = gradient.data<float>();
    for (int64_t i = begin; i < end; ++i) {
      const float g = step.lr * step.gradient_scale * gradients[i];
      v[i] = v[i] * (1 - step.lr * step.weight_decay) + m * m * correction * b[i] - (1 + m) * g;
      b[i] = m * correction * b[i] - g;
      if (half.defined()) store(half, i, v[i]);
    }
  });
}

void sgd(const SgdStep& step, const Tensor& gradient, Tensor& values, Tensor& buffer,
         Tensor& half) {
  const int64_t count = values.elements();
  require_flat("sgd", "gradient", gradient, count);
  require_flat("sgd", "values", values, count);
  if (buffer.defined()) require_flat("sgd", "buffer", buffer, count);
  require_half("sgd", half, count);
  parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    float* v = values.data<float>();
    float* b = buffer.defined() ? buffer.data<float>() : nullptr;
    const float* gradients = gradient.data<float>();
    for (int64_t i = begin; i < end; ++i) {
      float g = step.gradient_scale * gradients[i] + step.weight_decay * v[i];
      if (b != nullptr) g = b[i] = step.momentum * b[i] + g;
      v[i] -= step.lr * g;
      if (half.defined()) store(half, i, v[i]);
    }
  });
}

void moving_average(float decay, const Tensor& values, Tensor& average) {
  require_flat("moving_average", "values", values, average.elements());
  require_flat("moving_average", "average", average, values.elements());
  parallel_for(values.elements(), kGrain, [&](int64_t begin, int64_t end) {
    const float* v = values.data<float>();
    float* a = average.data<float>();
    for (int64_t i = begin; i < end; ++i) a[i] += (1 - decay) * (v[i] - a[i]);
  });
}

}  // namespace skein::kernels
