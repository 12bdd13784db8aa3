#include "skein/kernels/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/reference.h"
#include "random_batches.h"
#include "skein/base/error.h"

namespace skein::kernels {
namespace {

using testing::ElementsAre;

TEST(Rows, AreGatheredAndScatteredByHand) {
  const Tensor x = Tensor::from<float>({0, 1, 10, 11, 20, 21}, {3, 2});
  Tensor chosen = Tensor::uninitialized({2, 2}, DType::kF32);
  gather_rows(x, std::vector<int32_t>{2, 0}, chosen);
  EXPECT_THAT(chosen.values<float>(), ElementsAre(20, 21, 0, 1));
  Tensor into = Tensor::from<float>({5, 5, 5, 5, 5, 5}, {3, 2});
  scatter_rows(chosen, std::vector<int32_t>{0, 2}, into);
  EXPECT_THAT(into.values<float>(), ElementsAre(20, 21, 5, 5, 0, 1));
}

TEST(Transpose, TurnsAMatrixOfAnyShape) {
  for (const DType type : kBothTypes) {
    for (const Shape& shape : {Shape{1, 1}, Shape{3, 70}, Shape{70, 33}, Shape{0, 4}}) {
      const Tensor x = random_tensor(shape, type, 1);
      Tensor out = Tensor::uninitialized({shape[1], shape[0]}, type);
      transpose(x, out);
      const std::vector<double> from = doubles(x), to = doubles(out);
      for (int64_t r = 0; r < shape[0]; ++r) {
        for (int64_t c = 0; c < shape[1]; ++c) {
          EXPECT_EQ(to[static_cast<size_t>(c * shape[0] + r)],
                    from[static_cast<size_t>(r * shape[1] + c)]);
        }
      }
    }
  }
}

TEST(Rows, ThatAreNotThereAreRefused) {
  const Tensor x = Tensor::zeros({3, 2}, DType::kF32);
  Tensor two = Tensor::zeros({2, 2}, DType::kF32);
  EXPECT_THROW(gather_rows(x, std::vector<int32_t>{0, 3}, two), ShapeError);
  EXPECT_THROW(gather_rows(x, std::vector<int32_t>{-1, 0}, two), ShapeError);
  EXPECT_THROW(gather_rows(x, std::vector<int32_t>{0}, two), ShapeError);
  Tensor into = Tensor::zeros({3, 2}, DType::kF32);
  EXPECT_THROW(scatter_rows(two, std::vector<int32_t>{1, 3}, into), ShapeError);
  EXPECT_THROW(scatter_rows(two, std::vector<int32_t>{1, 1}, into), ShapeError);
  EXPECT_THROW(scatter_rows(two, std::vector<int32_t>{1, 0}, into), ShapeError);
  Tensor narrow = Tensor::zeros({3, 2}, DType::kBF16);
  EXPECT_THROW(scatter_rows(two, std::vector<int32_t>{0, 1}, narrow), ShapeError);
  Tensor square = Tensor::zeros({3, 2}, DType::kF32);
  EXPECT_THROW(transpose(x, square), ShapeError);
}

}  // namespace
}  // namespace skein::kernels
