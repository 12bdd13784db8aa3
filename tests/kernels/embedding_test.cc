#include "skein/kernels/embedding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/reference.h"
#include "skein/base/error.h"
#include "skein/base/parallel.h"

namespace skein::kernels {
namespace {

using testing::ElementsAre;

TEST(Embedding, ScalesRowsAndAddsPositionsByHand) {
  const Tensor table = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Tensor positions = Tensor::from<float>({10, 20}, {1, 2});
  const std::vector<int32_t> ids = {1, 0, 1}, rows = {0, 0, 0};
  Tensor out = Tensor::zeros({3, 2}, DType::kF32);
  embed({.ids = ids, .position_rows = rows, .table = table, .positions = positions, .scale = 2},
        out);
  EXPECT_THAT(out.values<float>(), ElementsAre(16, 28, 12, 24, 16, 28));
}

TEST(Embedding, EqualsItsFormulaInFloat64) {
  uint64_t seed = 1;
  for (const int64_t columns : {1, 33, 200}) {
    for (const DType type : kBothTypes) {
      for (const DType table_type : kBothTypes) {
        const Tensor table = random_tensor({5, columns}, table_type, ++seed);
        const Tensor positions = random_tensor({3, columns}, DType::kF32, ++seed);
        const std::vector<int32_t> ids = {4, 0, 0, 2, 4, 4}, rows = {0, 1, 2, 0, 1, 1};
        const Embedding arguments = {.ids = ids,
                                     .position_rows = rows,
                                     .table = table,
                                     .positions = positions,
                                     .scale = 3,
                                     .dropout = {.probability = 0.25f, .seed = seed}};
        Tensor out = Tensor::zeros({6, columns}, type);
        embed(arguments, out);
        const Tensor dy = random_tensor({6, columns}, type, ++seed);
        Tensor d_table = random_tensor({5, columns}, DType::kF32, ++seed);
        Tensor d_positions = random_tensor({3, columns}, DType::kF32, ++seed);
        std::vector<double> expected(doubles(dy).size()), table_sums = doubles(d_table),
                                                          position_sums = doubles(d_positions);
        const std::vector<double> words = doubles(table), places = doubles(positions);
        const std::vector<double> d = doubles(dy);
        const auto c = static_cast<size_t>(columns);
        for (size_t i = 0; i < expected.size(); ++i) {
          const double factor = static_cast<double>(dropout_factor(arguments.dropout, i));
          const size_t id = static_cast<size_t>(ids[i / c]) * c + i % c;
          const size_t row = static_cast<size_t>(rows[i / c]) * c + i % c;
          expected[i] = factor * (3 * words[id] + places[row]);
          table_sums[id] += 3 * factor * d[i];
          position_sums[row] += factor * d[i];
        }
        expect_close(out, expected);
        embed_gradient(arguments, dy, d_table, d_positions);
        expect_close(d_table, table_sums, 5);
        expect_close(d_positions, position_sums, 5);
      }
    }
  }
}

TEST(Embedding, WithoutPositionsOrIdsIsFine) {
  const Tensor table = random_tensor({2, 4}, DType::kF32, 1);
  Tensor none, out = Tensor::zeros({0, 4}, DType::kF32);
  embed({.ids = {}, .position_rows = {}, .table = table, .positions = none}, out);
  Tensor d_table = Tensor::zeros({2, 4}, DType::kF32);
  embed_gradient({.ids = {}, .position_rows = {}, .table = table, .positions = none}, out, d_table,
                 none);
}

TEST(Embedding, GradientIsTheSameToTheBitForAnyNumberOfThreads) {
  const Tensor table = Tensor::zeros({7, 300}, DType::kF32), none;
  std::vector<int32_t> ids;
  for (int32_t i = 0; i < 500; ++i) ids.push_back(i * i % 7);
  const Tensor dy = random_tensor({500, 300}, DType::kF32, 2);
  const int before = threads();
  std::vector<std::vector<double>> results;
  for (const int count : {1, 3}) {
    set_threads(count);
    Tensor d_table = Tensor::zeros({7, 300}, DType::kF32), no_positions;
    embed_gradient({.ids = ids, .position_rows = {}, .table = table, .positions = none}, dy,
                   d_table, no_positions);
    results.push_back(doubles(d_table));
  }
  set_threads(before);
  EXPECT_EQ(results[0], results[1]);
}

TEST(Embedding, RefusesIdsAndPositionsOutsideTheirTables) {
  const Tensor table = Tensor::zeros({2, 4}, DType::kF32);
  const std::vector<int32_t> ids = {2}, good = {1}, rows = {2};
  Tensor none, out = Tensor::zeros({1, 4}, DType::kF32);
  EXPECT_THROW(embed({.ids = ids, .position_rows = {}, .table = table, .positions = none}, out),
               ShapeError);
  EXPECT_THROW(embed({.ids = good, .position_rows = rows, .table = table, .positions = table}, out),
               ShapeError);
}

}  // namespace
}  // namespace skein::kernels
