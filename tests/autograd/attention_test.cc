#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/gradient_check.h"
#include "random_batches.h"
#include "skein/autograd/functions.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

plain::Attention twin_options(std::span<const int32_t> queries, std::span<const int32_t> keys,
                              const AttentionOptions& options, uint64_t seed) {
  Tape masks({.seed = seed});
  return {.query_offsets = queries,
          .key_offsets = keys,
          .heads = options.heads,
          .causal = options.causal,
          .dropout = masks.next_dropout(options.dropout),
          .scale = options.scale};
}

CheckedFunction checked_self_attention(const std::vector<int32_t>& offsets, int64_t width,
                                       const AttentionOptions& options, uint64_t seed) {
  return {.inputs = {{"qkv", {offsets.back(), 3 * width}}},
          .ours =
              [=](Tape& tape, std::span<const Variable> v) {
                return std::vector{self_attention(tape, v[0], offsets, options)};
              },
          .twin =
              [=](std::span<const plain::Matrix> v) {
                return std::vector{plain::attention(
                    twin_options(offsets, offsets, options, seed), plain::columns(v[0], 0, width),
                    plain::columns(v[0], width, width), plain::columns(v[0], 2 * width, width))};
              },
          .tape_seed = seed};
}

CheckedFunction checked_cross_attention(const std::vector<int32_t>& queries,
                                        const std::vector<int32_t>& keys, int64_t width,
                                        const AttentionOptions& options, uint64_t seed) {
  return {.inputs = {{"queries", {queries.back(), width}}, {"kv", {keys.back(), 2 * width}}},
          .ours =
              [=](Tape& tape, std::span<const Variable> v) {
                return std::vector{cross_attention(tape, v[0], v[1], queries, keys, options)};
              },
          .twin =
              [=](std::span<const plain::Matrix> v) {
                return std::vector{plain::attention(twin_options(queries, keys, options, seed),
                                                    v[0], plain::columns(v[1], 0, width),
                                                    plain::columns(v[1], width, width))};
              },
          .tape_seed = seed};
}

class AttentionGradient : public testing::TestWithParam<std::tuple<int64_t, bool, double>> {
 protected:
  AttentionOptions options() const {
    const auto [heads, causal, probability] = GetParam();
    return {.heads = heads, .causal = causal, .dropout = probability};
  }
};

// Sentences of 1 to 5 tokens, and batches without sentences; odd widths of a head.
TEST_P(AttentionGradient, OfSelfAttentionAgreesWithCentralDifferences) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<int32_t> offsets = random_offsets(random, random_between(random, 0, 3), 1, 5);
    const int64_t width = options().heads * random_between(random, 1, 5);
    EXPECT_THAT(disagreements(checked_self_attention(offsets, width, options(), seed), seed),
                IsEmpty());
  }
}

// Empty sentences on either side too. Causal: the last query sees the last key, as it does when
// earlier keys come from a cache.
TEST_P(AttentionGradient, OfCrossAttentionAgreesWithCentralDifferences) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int64_t sentences = random_between(random, 0, 3);
    const std::vector<int32_t> queries = random_offsets(random, sentences, 0, 4);
    const std::vector<int32_t> keys = random_offsets(random, sentences, 0, 6);
    const int64_t width = options().heads * random_between(random, 1, 5);
    EXPECT_THAT(disagreements(checked_cross_attention(queries, keys, width, options(), seed), seed),
                IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(HeadsCausalDropout, AttentionGradient,
                         testing::Combine(testing::Values(1, 2, 4), testing::Bool(),
                                          testing::Values(0.0, 0.3)));

TEST(AttentionGradient, AgreesForScoresThatAreNotScaled) {
  const AttentionOptions options{.heads = 1, .scale = 1};
  EXPECT_THAT(disagreements(checked_cross_attention({0, 3, 5}, {0, 4, 9}, 5, options, 1), 1),
              IsEmpty());
}

// Longer than the blocks and vectors of any kernel.
TEST(AttentionGradient, AgreesForALongSentence) {
  const AttentionOptions options{.heads = 1, .causal = true};
  EXPECT_THAT(disagreements(checked_self_attention({0, 37, 38}, 3, options, 1), 1), IsEmpty());
}

// One query (scaled to 0) sees values 2 and 4 alike; a sentence of one token gives its own value.
TEST(Attention, AveragesByHand) {
  Tape tape({.record = false});
  const Variable qkv(Tensor::from<float>({0, 1, 2, 0, 3, 4, 9, 9, 9}, {3, 3}));
  const std::vector<int32_t> offsets = {0, 2, 3};
  EXPECT_THAT(self_attention(tape, qkv, offsets, {}).value().values<float>(), ElementsAre(3, 3, 9));
  EXPECT_THAT(self_attention(tape, qkv, offsets, {.causal = true}).value().values<float>(),
              ElementsAre(2, 3, 9));
}

TEST(Attention, GivesZerosWhereThereIsNoKey) {
  Tape tape({});
  const Variable queries(Tensor::from<float>({1, 2}, {1, 2}), true);
  const Variable kv(Tensor::zeros({0, 4}, DType::kF32), true);
  const std::vector<int32_t> one = {0, 1}, none = {0, 0};
  const Variable out = cross_attention(tape, queries, kv, one, none, {});
  EXPECT_THAT(out.value().values<float>(), ElementsAre(0, 0));
  tape.backward(out, Tensor::from<float>({1, 1}, {1, 2}));
  EXPECT_THAT(queries.gradient()->tensor().values<float>(), ElementsAre(0, 0));
}

TEST(Attention, RefusesWhatDoesNotFit) {
  Tape tape({});
  const auto zeros = [](Shape shape) { return Variable(Tensor::zeros(shape, DType::kF32)); };
  const auto attend = [&](Shape shape, std::vector<int32_t> offsets, int64_t heads) {
    return self_attention(tape, zeros(shape), offsets, {.heads = heads});
  };
  EXPECT_THROW(attend({2, 9}, {0, 2}, 2), ShapeError);        // 3 columns for 2 heads
  EXPECT_THROW(attend({2, 9}, {0, 2}, 0), ShapeError);        // no heads
  EXPECT_THROW(attend({2, 10}, {0, 2}, 1), ShapeError);       // not three equal parts
  EXPECT_THROW(attend({2, 9}, {0, 1}, 1), ShapeError);        // a token in no sentence
  EXPECT_THROW(attend({2, 9}, {0, 3}, 1), ShapeError);        // a sentence beyond the tokens
  EXPECT_THROW(attend({2, 9}, {0, 2, 1, 2}, 1), ShapeError);  // a sentence backwards
  EXPECT_THROW(attend({2, 9}, {}, 1), ShapeError);
  const std::vector<int32_t> one = {0, 2}, two = {0, 1, 2};
  EXPECT_THROW(cross_attention(tape, zeros({2, 3}), zeros({2, 6}), one, two, {}), ShapeError);
  EXPECT_THROW(cross_attention(tape, zeros({2, 3}), zeros({2, 5}), one, one, {}), ShapeError);
}

}  // namespace
}  // namespace skein
