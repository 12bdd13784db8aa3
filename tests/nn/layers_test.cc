// Linear, layer norm, feed-forward and attention layers: parameters, values, and steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "nn/filled_store.h"
#include "random_batches.h"
#include "skein/base/error.h"
#include "skein/nn/attention.h"
#include "skein/nn/feed_forward.h"

namespace skein {
namespace {

using kernels::Activation;
using kernels::Gate;
using testing::HasSubstr;
using testing::ThrowsMessage;

Variable random_rows(int64_t rows, int64_t columns, uint64_t seed) {
  Random random(seed);
  Tensor tensor = Tensor::uninitialized({rows, columns}, DType::kF32);
  for (float& value : tensor.values<float>()) value = static_cast<float>(random.normal());
  return Variable(tensor);
}

void expect_near(const Tensor& actual, const plain::Matrix& expected, double tolerance = 1e-5) {
  const auto values = actual.values<float>();
  ASSERT_EQ(values.size(), expected.values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected.values[i], tolerance) << "element " << i;
  }
}

Tape inference() { return Tape({.record = false, .training = false}); }

double largest(const ParameterStore& store, const std::string& name) {
  double result = 0;
  for (const float value : store.find(name).variable.value().values<float>()) {
    result = std::max(result, std::abs(double{value}));
  }
  return result;
}

// 3 stacked maps 50 → 40: the bound is that of one of them, sqrt(6 / 90).
TEST(Linear, InitialisesStackedMapsAsSeparateOnes) {
  ParameterStore store;
  const Linear layer(store, "layer", {.inputs = 50, .outputs = 120, .stacked = 3});
  store.allocate({});
  store.initialize(1);
  EXPECT_EQ(store.find("layer.weight").shape, (Shape{120, 50}));
  EXPECT_LE(largest(store, "layer.weight"), 0.258199);
  EXPECT_GT(largest(store, "layer.weight"), 0.255);
  EXPECT_EQ(largest(store, "layer.bias"), 0);
}

TEST(Linear, HasNoBiasIfNoneIsWanted) {
  ParameterStore store;
  const Linear layer(store, "layer", {.inputs = 2, .outputs = 2, .bias = false});
  EXPECT_EQ(store.parameters().size(), 1u);
}

TEST(LayerNorm, BeginsAsTheIdentityOfNormalisedValues) {
  ParameterStore store;
  const NormParameters norm = make_layer_norm(store, "norm", 3);
  store.allocate({});
  store.initialize(1);
  EXPECT_THAT(norm.gain.value().values<float>(), testing::ElementsAre(1, 1, 1));
  EXPECT_THAT(norm.bias.value().values<float>(), testing::ElementsAre(0, 0, 0));
}

class FeedForwardActivation : public testing::TestWithParam<std::string> {};

TEST_P(FeedForwardActivation, AgreesWithItsEquation) {
  const std::map<std::string, Activation> pointwise = {
      {"relu", Activation::kRelu}, {"gelu", Activation::kGelu}, {"silu", Activation::kSilu}};
  const std::map<std::string, Gate> gates = {
      {"glu", Gate::kSigmoid}, {"geglu", Gate::kGelu}, {"swiglu", Gate::kSilu}};
  ParameterStore store;
  const FeedForward layer(store, "ffn", {.width = 3, .inner = 5, .activation = GetParam()});
  fill_parameters(store, 1, 0.5);
  const bool gated = gates.contains(GetParam());
  EXPECT_EQ(store.find("ffn.in.weight").shape, (Shape{gated ? 10 : 5, 3}));
  EXPECT_EQ(store.find("ffn.out.weight").shape, (Shape{3, 5}));
  const Variable x = random_rows(4, 3, 2);
  Tape tape = inference();
  plain::Matrix hidden =
      plain::linear(plain_matrix(x.value()), plain_parameter(store, "ffn.in.weight"),
                    plain_parameter(store, "ffn.in.bias"));
  hidden = gated ? plain::glu(gates.at(GetParam()), hidden)
                 : plain::activation(pointwise.at(GetParam()), hidden);
  expect_near(layer(tape, x).value(),
              plain::linear(hidden, plain_parameter(store, "ffn.out.weight"),
                            plain_parameter(store, "ffn.out.bias")));
}

INSTANTIATE_TEST_SUITE_P(All, FeedForwardActivation, testing::ValuesIn(FeedForward::activations()),
                         [](const auto& info) { return info.param; });

TEST(FeedForward, RefusesAnUnknownActivation) {
  ParameterStore store;
  EXPECT_THAT([&] { FeedForward(store, "ffn", {.width = 1, .inner = 1, .activation = "reul"}); },
              ThrowsMessage<UsageError>(HasSubstr("'reul'; expected one of relu, gelu")));
}

// A causal layer over whole sentences, and the same layer token by token with all sentences in one
// cache.
TEST(SelfAttention, StepByStepEqualsTheWholeSentence) {
  ParameterStore store;
  const SelfAttention layer(store, "attention", {.width = 6, .heads = 2});
  fill_parameters(store, 1, 0.5);
  constexpr int32_t kLength = 4, kSentences = 3;
  const std::vector<int32_t> offsets = {0, 4, 8, 12};
  const Variable x = random_rows(kLength * kSentences, 6, 2);
  Tape tape = inference();
  const Tensor whole = layer(tape, x, offsets, true).value();
  KeyValueCache cache;
  for (int32_t position = 0; position < kLength; ++position) {
    Tensor rows = Tensor::uninitialized({kSentences, 6}, DType::kF32);
    CacheRows visible;
    for (int32_t s = 0; s < kSentences; ++s) {
      const Tensor row = x.value().slice(s * kLength + position, s * kLength + position + 1);
      std::ranges::copy(row.values<float>(), rows.data<float>() + s * 6);
      for (int32_t p = 0; p <= position; ++p) visible.rows.push_back(p * kSentences + s);
      visible.offsets.push_back(static_cast<int32_t>(visible.rows.size()));
    }
    const Tensor step = layer.step(tape, Variable(rows), cache, visible).value();
    for (int32_t s = 0; s < kSentences; ++s) {
      const int64_t row = s * kLength + position;
      expect_near(step.slice(s, s + 1), plain_matrix(whole.slice(row, row + 1)));
    }
  }
}

TEST(KeyValueCache, KeepsItsRowsWhenItGrows) {
  KeyValueCache cache;
  EXPECT_EQ(cache.extend(0, 2, DType::kF32), 0);
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(cache.extend(1, 2, DType::kF32), i);
    cache.rows.data<float>()[2 * i] = static_cast<float>(i);
  }
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(cache.rows.data<float>()[2 * i], i);
}

TEST(CrossAttention, AgreesWithItsEquationAndItsStep) {
  ParameterStore store;
  const CrossAttention layer(store, "cross", {.width = 4, .heads = 2});
  fill_parameters(store, 1, 0.5);
  const std::vector<int32_t> queries = {0, 1, 3}, keys = {0, 4, 5};
  const Variable x = random_rows(3, 4, 2), encoded = random_rows(5, 4, 3);
  const auto map = [&](const Variable& input, const std::string& name) {
    return plain::linear(plain_matrix(input.value()), plain_parameter(store, name + ".weight"),
                         plain_parameter(store, name + ".bias"));
  };
  const plain::Matrix kv = map(encoded, "cross.key_value");
  const plain::Matrix context =
      plain::attention({.query_offsets = queries, .key_offsets = keys, .heads = 2},
                       map(x, "cross.query"), plain::columns(kv, 0, 4), plain::columns(kv, 4, 4));
  const plain::Matrix expected = plain::linear(context, plain_parameter(store, "cross.out.weight"),
                                               plain_parameter(store, "cross.out.bias"));
  Tape tape = inference();
  expect_near(layer(tape, x, encoded, queries, keys).value(), expected);
  const CacheRows visible{.rows = {0, 1, 2, 3, 4, 4}, .offsets = {0, 4, 5, 6}};
  expect_near(layer.step(tape, x, layer.memory(tape, encoded), visible).value(), expected);
}

TEST(CrossAttention, WeightsOfEveryQuerySumToOne) {
  ParameterStore store;
  const CrossAttention layer(store, "cross", {.width = 4, .heads = 2});
  fill_parameters(store, 1, 0.5);
  const std::vector<int32_t> queries = {0, 1, 3}, keys = {0, 4, 5};
  Tape tape = inference();
  const Tensor weights =
      layer.weights(tape, random_rows(3, 4, 2), random_rows(5, 4, 3), queries, keys);
  const auto values = weights.values<float>();
  ASSERT_EQ(values.size(), 6u);  // 1 x 4 and 2 x 1
  EXPECT_NEAR(values[0] + values[1] + values[2] + values[3], 1, 1e-6);
  EXPECT_EQ(values[4], 1);
  EXPECT_EQ(values[5], 1);
}

}  // namespace
}  // namespace skein
