#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/gradient_check.h"
#include "random_batches.h"
#include "skein/autograd/functions.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Look {
  std::vector<int32_t> ids;
  std::vector<int32_t> rows;
  int64_t vocabulary;
  int64_t width;
};

Look random_look(uint64_t seed) {
  Random random(seed);
  const int64_t tokens = random_between(random, 0, 9), vocabulary = random_between(random, 1, 6);
  return {random_tokens(random, tokens, vocabulary), random_tokens(random, tokens, 5), vocabulary,
          random_between(random, 1, 7)};
}

CheckedFunction checked_embed(const Look& look, double probability, uint64_t seed) {
  return {
      .inputs = {{"table", {look.vocabulary, look.width}, true},
                 {"positions", {5, look.width}, true}},
      .ours =
          [=](Tape& tape, std::span<const Variable> v) {
            return std::vector{embed(tape, {.ids = look.ids,
                                            .position_rows = look.rows,
                                            .table = v[0],
                                            .positions = v[1],
                                            .scale = 1.5,
                                            .dropout = probability})};
          },
      .twin =
          [=](std::span<const plain::Matrix> v) {
            Tape masks({.seed = seed});
            return std::vector{plain::dropout(masks.next_dropout(probability),
                                              plain::embed(look.ids, look.rows, v[0], v[1], 1.5))};
          },
      .tape_seed = seed};
}

TEST(EmbedGradient, AgreesWithCentralDifferencesForRandomShapes) {
  for (uint64_t seed = 0; seed < 15; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_THAT(disagreements(checked_embed(random_look(seed), 0, seed), seed), IsEmpty());
    EXPECT_THAT(disagreements(checked_embed(random_look(seed), 0.3, seed), seed), IsEmpty());
  }
}

TEST(EmbedGradient, AgreesWithoutPositions) {
  const Look look = random_look(3);
  const CheckedFunction function{
      .inputs = {{"table", {look.vocabulary, look.width}, true}},
      .ours =
          [look](Tape& tape, std::span<const Variable> v) {
            return std::vector{embed(
                tape, {.ids = look.ids, .position_rows = {}, .table = v[0], .positions = {}})};
          },
      .twin =
          [look](std::span<const plain::Matrix> v) {
            return std::vector{plain::embed(look.ids, {}, v[0], {}, 1)};
          }};
  EXPECT_THAT(disagreements(function, 3), IsEmpty());
}

// The decoder's input embedding, as the output projection too.
TEST(EmbedGradient, AddsToTheProjectionsWhereTheTableIsTied) {
  const std::vector<int32_t> ids = {2, 0, 2};
  const CheckedFunction function{
      .inputs = {{"table", {4, 3}, true}},
      .ours =
          [ids](Tape& tape, std::span<const Variable> v) {
            const Variable x =
                embed(tape, {.ids = ids, .position_rows = {}, .table = v[0], .positions = {}});
            return std::vector{linear(tape, x, v[0], Variable())};
          },
      .twin =
          [ids](std::span<const plain::Matrix> v) {
            return std::vector{plain::linear(plain::embed(ids, {}, v[0], {}, 1), v[0])};
          }};
  EXPECT_THAT(disagreements(function, 3), IsEmpty());
}

TEST(Embed, LooksUpScalesAndAddsPositionsByHand) {
  Tape tape({});
  const Variable table(Tensor::from<float>({1, 2, 3, 4}, {2, 2}), true);
  const Variable positions(Tensor::from<float>({10, 20}, {1, 2}));
  const std::vector<int32_t> ids = {1, 0, 1}, rows = {0, 0, 0};
  const Variable y = embed(
      tape,
      {.ids = ids, .position_rows = rows, .table = table, .positions = positions, .scale = 2});
  EXPECT_THAT(y.value().values<float>(), ElementsAre(16, 28, 12, 24, 16, 28));
  tape.backward(y, Tensor::from<float>({1, 0, 5, 0, 1, 1}, {3, 2}));
  EXPECT_THAT(table.gradient()->tensor().values<float>(), ElementsAre(10, 0, 4, 2));
}

TEST(Embed, RefusesIdsAndPositionsOutsideTheirTables) {
  Tape tape({});
  const Variable table(Tensor::zeros({2, 2}, DType::kF32));
  const Variable positions(Tensor::zeros({1, 2}, DType::kF32));
  const auto look = [&](std::vector<int32_t> ids, std::vector<int32_t> rows) {
    return embed(tape, {.ids = ids, .position_rows = rows, .table = table, .positions = positions});
  };
  EXPECT_THROW(look({2}, {0}), ShapeError);
  EXPECT_THROW(look({-1}, {0}), ShapeError);
  EXPECT_THROW(look({0}, {1}), ShapeError);
  EXPECT_THROW(look({0, 1}, {0}), ShapeError);
}

}  // namespace
}  // namespace skein
