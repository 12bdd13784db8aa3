#include "skein/tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "skein/base/error.h"
#include "skein/base/random.h"
#include "skein/tensor/arena.h"

namespace skein {
namespace {

using testing::ElementsAre;

TEST(Tensor, ASliceSharesItsMemory) {
  Tensor whole = Tensor::from<int32_t>({1, 2, 3, 4, 5, 6}, {3, 2});
  Tensor rows = whole.slice(1, 3);
  rows.data<int32_t>()[0] = 30;
  EXPECT_THAT(whole.values<int32_t>(), ElementsAre(1, 2, 30, 4, 5, 6));
  EXPECT_EQ(rows.shape(), Shape({2, 2}));
}

TEST(Tensor, ACopyDoesNot) {
  const Tensor whole = Tensor::from<float>({1, 2}, {2});
  Tensor copy = whole.copy();
  copy.data<float>()[0] = 5;
  EXPECT_THAT(whole.values<float>(), ElementsAre(1, 2));
}

TEST(Tensor, WrongShapesAndTypesAreRefused) {
  const Tensor tensor = Tensor::zeros({2, 3}, DType::kF32);
  EXPECT_THROW(tensor.reshape({4}), ShapeError);
  EXPECT_THROW(tensor.slice(1, 3), ShapeError);
  EXPECT_THROW(tensor.values<int32_t>(), ShapeError);
  EXPECT_THROW(Tensor::from<float>({1, 2}, {3}), ShapeError);
  EXPECT_THROW(Shape({1, 1, 1, 1, 1}), ShapeError);
  EXPECT_THROW(column_block(tensor, 2, 2), ShapeError);
}

TEST(Tensor, AnEmptyTensorHasNoRows) {
  const Tensor tensor = Tensor::zeros({0, 3}, DType::kBF16);
  EXPECT_EQ(tensor.rows(), 0);
  EXPECT_EQ(tensor.copy().elements(), 0);
}

TEST(BFloat16, RoundsToNearestTiesToEven) {
  // 1 + 2^-8 lies halfway between 1 and 1 + 2^-7; 1 + 3 * 2^-8 halfway between the next two.
  EXPECT_EQ(static_cast<float>(BFloat16(1.0f + 0x1p-8f)), 1.0f);
  EXPECT_EQ(static_cast<float>(BFloat16(1.0f + 0x3p-8f)), 1.0f + 0x2p-7f);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_TRUE(std::isinf(static_cast<float>(BFloat16(std::numeric_limits<float>::infinity()))));
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto value = static_cast<float>(random.normal());
    EXPECT_LE(std::abs(static_cast<float>(BFloat16(value)) - value), std::abs(value) * 0x1p-8f);
  }
}

TEST(Arena, ABlockIsUsedAgain) {
  trim_arena();
  const size_t before = arena_statistics().in_use;
  { Tensor::zeros({1000, 1000}, DType::kF32); }
  const size_t reserved = arena_statistics().reserved;
  { Tensor::zeros({1000, 999}, DType::kF32); }
  EXPECT_EQ(arena_statistics().reserved, reserved);
  EXPECT_EQ(arena_statistics().in_use, before);
  EXPECT_GE(arena_statistics().peak, 4000000u);
}

}  // namespace
}  // namespace skein
