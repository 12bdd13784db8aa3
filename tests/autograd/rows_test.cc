#include "skein/autograd/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/gradient_check.h"
#include "random_batches.h"
#include "skein/autograd/functions.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::IsEmpty;

// Some of n rows, ascending.
std::vector<int32_t> some_rows(Random& random, int64_t n) {
  std::vector<int32_t> rows;
  for (int32_t row = 0; row < n; ++row) {
    if (random.below(2) == 0) rows.push_back(row);
  }
  return rows;
}

// The same rows twice, so that the second adds to what the first gave.
TEST(SelectRowsGradient, AgreesWithCentralDifferencesForRandomRows) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int64_t n = random_between(random, 1, 7);
    const std::vector<int32_t> one = some_rows(random, n), two = some_rows(random, n);
    const CheckedFunction function{
        .inputs = {{"x", {n, random_between(random, 1, 9)}}},
        .ours =
            [=](Tape& tape, std::span<const Variable> v) {
              return std::vector{select_rows(tape, v[0], one), select_rows(tape, v[0], two)};
            },
        .twin =
            [=](std::span<const plain::Matrix> v) {
              return std::vector{plain::select_rows(v[0], one), plain::select_rows(v[0], two)};
            }};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

TEST(MergeRowsGradient, AgreesWithCentralDifferencesForRandomRows) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int64_t n = random_between(random, 1, 7), columns = random_between(random, 1, 9);
    const std::vector<int32_t> one = some_rows(random, n);
    std::vector<int32_t> others;
    for (int32_t row = 0; row < n; ++row) {
      if (std::ranges::count(one, row) == 0) others.push_back(row);
    }
    const CheckedFunction function{
        .inputs = {{"one", {std::ssize(one), columns}}, {"others", {std::ssize(others), columns}}},
        .ours =
            [=](Tape& tape, std::span<const Variable> v) {
              return std::vector{merge_rows(tape, {{v[0], one}, {v[1], others}}, n, columns)};
            },
        .twin =
            [=](std::span<const plain::Matrix> v) {
              plain::Matrix whole(n, columns);
              for (int64_t c = 0; c < columns; ++c) {
                for (size_t i = 0; i < one.size(); ++i) {
                  whole(one[i], c) = v[0](static_cast<int64_t>(i), c);
                }
                for (size_t i = 0; i < others.size(); ++i) {
                  whole(others[i], c) = v[1](static_cast<int64_t>(i), c);
                }
              }
              return std::vector{whole};
            }};
    EXPECT_THAT(disagreements(function, seed), IsEmpty());
  }
}

TEST(MergeRows, RefusesRowsThatAreTwiceThereOrMissing) {
  const Variable two(Tensor::zeros({2, 3}, DType::kF32));
  Tape tape({});
  EXPECT_THROW(merge_rows(tape, {{two, {0, 1}}, {two, {1, 2}}}, 4, 3), ShapeError);
  EXPECT_THROW(merge_rows(tape, {{two, {0, 1}}}, 3, 3), ShapeError);
  EXPECT_THROW(merge_rows(tape, {{two, {0, 2}}}, 2, 3), ShapeError);
}

// Weights that are put together from parameters, as a product uses them.
TEST(ConcatenateRowsGradient, AgreesWithCentralDifferencesInAProduct) {
  const CheckedFunction function{
      .inputs = {{"x", {5, 4}}, {"a", {3, 4}, true}, {"b", {2, 4}, true}},
      .ours =
          [](Tape& tape, std::span<const Variable> v) {
            return std::vector{linear(tape, v[0], concatenate_rows(tape, v[1], v[2]), Variable())};
          },
      .twin =
          [](std::span<const plain::Matrix> v) {
            plain::Matrix both(5, 4, v[1].values);
            both.values.insert(both.values.end(), v[2].values.begin(), v[2].values.end());
            return std::vector{plain::linear(v[0], both)};
          }};
  EXPECT_THAT(disagreements(function, 1), IsEmpty());
}

TEST(TransposeGradient, AgreesWithCentralDifferencesInAProduct) {
  const CheckedFunction function{
      .inputs = {{"x", {5, 4}}, {"weight", {4, 3}, true}},
      .ours =
          [](Tape& tape, std::span<const Variable> v) {
            return std::vector{linear(tape, v[0], transpose(tape, v[1]), Variable())};
          },
      .twin =
          [](std::span<const plain::Matrix> v) {
            return std::vector{plain::linear(v[0], plain::transpose(v[1]))};
          }};
  EXPECT_THAT(disagreements(function, 1), IsEmpty());
}

}  // namespace
}  // namespace skein
