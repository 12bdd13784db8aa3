#include "skein/kernels/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/reference.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"
#include "skein/kernels/packed_matrix.h"

namespace skein::kernels {
namespace {

using testing::Each;
using testing::ElementsAre;

struct Extents {
  int64_t m, n, k;
};

// op(a) op(b) + before, in float64.
std::vector<double> product(const Extents& e, const Tensor& a, const Tensor& b,
                            const MatmulOptions& options, const std::vector<double>& before) {
  const std::vector<double> left = doubles(a), right = doubles(b);
  std::vector<double> result = before;
  for (int64_t i = 0; i < e.m; ++i) {
    for (int64_t j = 0; j < e.n; ++j) {
      double& sum = result[static_cast<size_t>(i * e.n + j)];
      for (int64_t l = 0; l < e.k; ++l) {
        sum += left[static_cast<size_t>(options.transpose_a ? l * e.m + i : i * e.k + l)] *
               right[static_cast<size_t>(options.transpose_b ? j * e.k + l : l * e.n + j)];
      }
    }
  }
  return result;
}

Tensor factor(int64_t rows, int64_t columns, bool transposed, DType type, uint64_t seed) {
  return random_tensor(transposed ? Shape{columns, rows} : Shape{rows, columns}, type, seed);
}

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

TEST(Matmul, EqualsSumsInFloat64) {
  const Extents shapes[] = {{1, 1, 1},    {3, 5, 7},      {33, 17, 65},
                            {300, 70, 9}, {1100, 24, 40}, {20, 30, 1100}};
  uint64_t seed = 1;
  for (const Extents& e : shapes) {
    for (const DType in : kBothTypes) {
      for (const DType to : kBothTypes) {
        for (const int flags : {0, 1, 2, 3, 4, 5, 6, 7}) {
          const MatmulOptions options = {.transpose_a = (flags & 1) != 0,
                                         .transpose_b = (flags & 2) != 0,
                                         .accumulate = (flags & 4) != 0};
          const Tensor a = factor(e.m, e.k, options.transpose_a, in, ++seed);
          const Tensor b = factor(e.k, e.n, options.transpose_b, in, ++seed);
          Tensor out = random_tensor({e.m, e.n}, to, ++seed);
          const std::vector<double> before =
              options.accumulate ? doubles(out) : std::vector<double>(doubles(out).size());
          matmul(a, b, out, options);
          SCOPED_TRACE(testing::Message() << e.m << " " << e.n << " " << e.k << " flags " << flags);
          expect_close(out, product(e, a, b, options, before), std::sqrt(e.k));
        }
      }
    }
  }
}

TEST(Matmul, AcceptsEmptyFactors) {
  const Tensor none = Tensor::zeros({5, 0}, DType::kF32);
  Tensor out = Tensor::from<float>({1, 2, 3, 4, 5}, {5, 1});
  matmul(none, Tensor::zeros({0, 1}, DType::kF32), out, {.accumulate = true});
  EXPECT_THAT(out.values<float>(), ElementsAre(1, 2, 3, 4, 5));
  matmul(none, Tensor::zeros({0, 1}, DType::kF32), out);
  EXPECT_THAT(out.values<float>(), Each(0));
  Tensor no_rows = Tensor::zeros({0, 4}, DType::kBF16);
  matmul(Tensor::zeros({0, 3}, DType::kBF16), Tensor::zeros({3, 4}, DType::kBF16), no_rows);
}

TEST(Matmul, RefusesMatricesThatDoNotFit) {
  const Tensor a = Tensor::zeros({2, 3}, DType::kF32), b = Tensor::zeros({2, 3}, DType::kF32);
  Tensor out = Tensor::zeros({2, 3}, DType::kF32);
  EXPECT_THROW(matmul(a, b, out), ShapeError);
  EXPECT_THROW(matmul(a, b.converted(DType::kBF16), out, {.transpose_b = true}), ShapeError);
  EXPECT_THROW(matmul(a, PackedMatrix(b, false), out), ShapeError);
}

TEST(PackedMatrix, EqualsSumsInFloat64) {
  uint64_t seed = 1000;
  for (const Extents& e : {Extents{1, 3, 4}, {40, 70, 9}, {70, 1100, 33}}) {
    for (const DType in : kBothTypes) {
      for (const DType to : kBothTypes) {
        for (const bool transposed : {false, true}) {
          const Tensor a = random_tensor({e.m, e.k}, in, ++seed);
          const Tensor b = factor(e.k, e.n, transposed, in, ++seed);
          Tensor out = random_tensor({e.m, e.n}, to, ++seed);
          const std::vector<double> before = doubles(out);
          matmul(a, PackedMatrix(b, transposed), out, {.accumulate = true});
          expect_close(out, product(e, a, b, {.transpose_b = transposed}, before), std::sqrt(e.k));
        }
      }
    }
  }
}

TEST(PackedMatrix, TakesABiasAndReluForEveryColumn) {
  const Tensor bias = random_tensor({1100}, DType::kF32, 5);
  std::vector<double> expected = doubles(bias), positive = expected;
  for (double& value : positive) value = std::max(value, 0.0);
  for (const DType type : kBothTypes) {
    const Tensor a = Tensor::zeros({2, 3}, type);
    const PackedMatrix b(Tensor::zeros({3, 1100}, type), false);
    Tensor out = Tensor::zeros({2, 1100}, DType::kF32);
    for (const Activation activation : {Activation::kNone, Activation::kRelu}) {
      matmul(a, b, out, {.bias = &bias, .activation = activation});
      for (int64_t row : {0, 1}) {
        expect_close(out.slice(row, row + 1),
                     activation == Activation::kRelu ? positive : expected);
      }
    }
  }
}

TEST(PackedMatrix, ReluKeepsANan) {
  const Tensor a = Tensor::from<float>({std::numeric_limits<float>::quiet_NaN()}, {1, 1});
  Tensor out = Tensor::zeros({1, 1}, DType::kF32);
  matmul(a, PackedMatrix(Tensor::from<float>({1}, {1, 1}), false), out,
         {.activation = Activation::kRelu});
  EXPECT_TRUE(std::isnan(out.data<float>()[0]));
}

// What a sentence is translated to may not depend on the sentences beside it.
TEST(PackedMatrix, ARowIsTheSameToTheBitWhateverRowsAreBesideIt) {
  const int before = threads();
  for (const int count : {1, 2}) {
    set_threads(count);
    for (const DType type : kBothTypes) {
      for (const Extents& e : {Extents{600, 127, 65}, {600, 700, 2048}}) {
        const Tensor a = random_tensor({e.m, e.k}, type, 7);
        const PackedMatrix b(random_tensor({e.k, e.n}, type, 8), false);
        Tensor whole = Tensor::zeros({e.m, e.n}, type);
        matmul(a, b, whole);
        for (int64_t rows = 1; rows <= 600; rows += rows < 70 ? 1 : 177) {
          const int64_t first = e.m - rows;  // at another place of its block, too
          Tensor part = Tensor::zeros({rows, e.n}, type);
          matmul(a.slice(first, e.m), b, part);
          const Tensor same = whole.slice(first, e.m);
          ASSERT_EQ(std::memcmp(part.raw(), same.raw(), part.bytes()), 0) << rows << " rows";
        }
      }
    }
  }
  set_threads(before);
}

}  // namespace
}  // namespace skein::kernels
