// What the tests of kernels share: random tensors, their values in float64, and a comparison.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "skein/base/random.h"
#include "skein/tensor/tensor.h"

namespace skein::kernels {

// Normal values times `spread`; the same for the same seed.
inline Tensor random_tensor(const Shape& shape, DType type, uint64_t seed, double spread = 1) {
  Random random(seed);
  Tensor tensor = Tensor::uninitialized(shape, DType::kF32);
  for (float& value : tensor.values<float>()) value = static_cast<float>(spread * random.normal());
  return tensor.converted(type);
}

inline std::vector<double> doubles(const Tensor& tensor) {
  const Tensor plain = tensor.converted(DType::kF32);
  const auto values = plain.values<float>();
  return {values.begin(), values.end()};
}

// Half a unit in the last place of a stored value, relative, and some for the arithmetic.
inline double tolerance(DType type) { return type == DType::kBF16 ? 4.5e-3 : 4e-6; }

// Each within tolerance(type) of |expected| + `magnitude`, the size of the numbers that were
// summed.
inline void expect_close(const Tensor& actual, const std::vector<double>& expected,
                         double magnitude = 1) {
  const std::vector<double> values = doubles(actual);
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double allowed = tolerance(actual.type()) * (std::abs(expected[i]) + magnitude);
    ASSERT_NEAR(values[i], expected[i], allowed) << "element " << i << " of " << values.size();
  }
}

constexpr DType kBothTypes[] = {DType::kF32, DType::kBF16};

}  // namespace skein::kernels
