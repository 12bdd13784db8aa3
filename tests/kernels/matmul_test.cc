#include "skein/kernels/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/base/error.h"

namespace skein::kernels {
namespace {

using testing::ElementsAre;

TEST(Matmul, MultipliesByHand) {
  const Tensor a = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Tensor b = Tensor::from<float>({5, 6, 7, 8}, {2, 2});
  Tensor out = Tensor::zeros({2, 2}, DType::kF32);
  matmul(a, b, out);
  EXPECT_THAT(out.values<float>(), ElementsAre(19, 22, 43, 50));
  matmul(a, b, out, {.transpose_a = true});
  EXPECT_THAT(out.values<float>(), ElementsAre(26, 30, 38, 44));
  matmul(a, b, out, {.transpose_b = true});
  EXPECT_THAT(out.values<float>(), ElementsAre(17, 23, 39, 53));
  matmul(a, b, out, {.accumulate = true});
  EXPECT_THAT(out.values<float>(), ElementsAre(36, 45, 82, 103));
}

TEST(Matmul, AddsABiasAndClipsAtZero) {
  const Tensor a = Tensor::from<float>({1, 2}, {1, 2});
  const Tensor b = Tensor::from<float>({1, -1, 1, -1}, {2, 2});
  const Tensor bias = Tensor::from<float>({10, 1}, {2});
  Tensor out = Tensor::zeros({1, 2}, DType::kF32);
  matmul(a, b, out, {.bias = &bias});
  EXPECT_THAT(out.values<float>(), ElementsAre(13, -2));
  matmul(a, b, out, {.bias = &bias, .activation = Activation::kRelu});
  EXPECT_THAT(out.values<float>(), ElementsAre(13, 0));
}

TEST(Matmul, RefusesMatricesThatDoNotFit) {
  const Tensor a = Tensor::zeros({2, 3}, DType::kF32), b = Tensor::zeros({2, 3}, DType::kF32);
  Tensor out = Tensor::zeros({2, 3}, DType::kF32);
  EXPECT_THROW(matmul(a, b, out), ShapeError);
  EXPECT_THROW(matmul(a, b.converted(DType::kBF16), out, {.transpose_b = true}), ShapeError);
}

}  // namespace
}  // namespace skein::kernels
