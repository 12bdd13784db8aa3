#include "skein/nn/parameter_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "skein/base/error.h"

namespace skein {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<float> floats(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

TEST(ParameterStore, PutsParametersIntoFlatBuffersAt64ByteBoundaries) {
  ParameterStore store;
  const Variable first = store.add("first", {3, 2}, constant(1));
  const Variable second = store.add("second", {17}, constant(2));
  const Variable third = store.add("third", {1}, constant(3));
  store.allocate({.half = true, .gradients = true});
  store.initialize(1);
  EXPECT_EQ(store.count(), 24);
  ASSERT_EQ(store.parameters().size(), 3u);
  EXPECT_EQ(store.parameters()[0].offset, 0);
  EXPECT_EQ(store.parameters()[1].offset, 16);
  EXPECT_EQ(store.parameters()[2].offset, 48);
  EXPECT_EQ(store.parameters()[1].name, "second");
  EXPECT_EQ(store.values().shape(), (Shape{64}));
  EXPECT_EQ(store.half().shape(), (Shape{64}));
  EXPECT_EQ(store.gradients().shape(), (Shape{64}));
  EXPECT_EQ(first.shape(), (Shape{3, 2}));
  EXPECT_EQ(second.value().raw(), store.values().raw() + 16 * sizeof(float));
  const std::vector<float> values = floats(store.values());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], i < 6 ? 1 : i < 16 ? 0 : i < 33 ? 2 : i == 48 ? 3 : 0) << i;
  }
  EXPECT_EQ(floats(store.half().converted(DType::kF32)), values);
  third.gradient()->add(Tensor::from<float>({5}, {1}));
  EXPECT_EQ(floats(store.gradients())[48], 5);
}

TEST(ParameterStore, RefusesANameTwice) {
  ParameterStore store;
  store.add("weight", {1}, constant(0));
  EXPECT_THAT([&] { store.add("weight", {2}, constant(0)); },
              ThrowsMessage<Error>(HasSubstr("weight is defined twice")));
}

TEST(ParameterStore, FindsByNameAndSuggestsTheNearest) {
  ParameterStore store;
  store.add("encoder.weight", {1}, constant(0));
  EXPECT_EQ(store.find("encoder.weight").name, "encoder.weight");
  EXPECT_THAT([&] { store.find("encoder.weigth"); },
              ThrowsMessage<Error>(HasSubstr("the nearest is 'encoder.weight'")));
}

TEST(ParameterStore, RefusesToInitializeWithoutMemory) {
  ParameterStore store;
  store.add("weight", {1}, constant(0));
  EXPECT_THROW(store.initialize(1), Error);
}

TEST(ParameterStore, InitialValuesDependOnSeedAndNameOnly) {
  ParameterStore one, other;
  const Variable a = one.add("a", {4}, normal(1)), b = one.add("b", {4}, normal(1));
  other.add("c", {100}, normal(1));
  const Variable b_too = other.add("b", {4}, normal(1)), a_too = other.add("a", {4}, normal(1));
  one.allocate({});
  other.allocate({});
  one.initialize(7);
  other.initialize(7);
  EXPECT_EQ(floats(a.value()), floats(a_too.value()));
  EXPECT_EQ(floats(b.value()), floats(b_too.value()));
  EXPECT_NE(floats(a.value()), floats(b.value()));
  const std::vector<float> before = floats(a.value());
  one.initialize(8);
  EXPECT_NE(floats(a.value()), before);
}

TEST(ParameterStore, RefreshesTheBfloat16Copy) {
  ParameterStore store;
  const Variable weight = store.add("weight", {1}, constant(1));
  store.allocate({.half = true});
  store.values().data<float>()[0] = 2.5f;
  store.refresh_half();
  EXPECT_EQ(static_cast<float>(weight.value_as(DType::kBF16).data<BFloat16>()[0]), 2.5f);
}

TEST(ParameterStore, CompletesGradientsThatTheBackwardPassDidNotReach) {
  ParameterStore store;
  const Variable reached = store.add("reached", {2}, constant(0));
  const Variable missed = store.add("missed", {2}, constant(0));
  store.allocate({.gradients = true});
  for (int step = 0; step < 2; ++step) {
    store.clear_gradients();
    reached.gradient()->add(Tensor::from<float>({1, 2}, {2}));
    if (step == 0) missed.gradient()->add(Tensor::from<float>({3, 4}, {2}));
    store.complete_gradients();
  }
  EXPECT_THAT(reached.gradient()->tensor().values<float>(), ElementsAre(1, 2));
  EXPECT_THAT(missed.gradient()->tensor().values<float>(), ElementsAre(0, 0));
}

TEST(ParameterStore, WithoutGradientsThereIsNothingToClearOrComplete) {
  ParameterStore store;
  const Variable weight = store.add("weight", {2}, constant(0));
  store.allocate({.gradients = true});
  store.allocate({});
  EXPECT_FALSE(weight.needs_gradient());
  store.clear_gradients();
  store.complete_gradients();
  EXPECT_FALSE(store.gradients().defined());
}

struct Moments {
  double mean = 0, deviation = 0, largest = 0;
};
Moments moments(const Initializer& initializer) {
  std::vector<float> values(40000);
  Random random(3);
  initializer(values, random);
  Moments result;
  const auto count = static_cast<double>(values.size());
  for (const float value : values) {
    result.mean += double{value} / count;
    result.largest = std::max(result.largest, std::abs(double{value}));
  }
  for (const float value : values) result.deviation += std::pow(double{value} - result.mean, 2);
  result.deviation = std::sqrt(result.deviation / count);
  return result;
}

TEST(Initializer, ConstantFillsEveryElement) {
  std::vector<float> values(3, 9);
  Random random(1);
  constant(4)(values, random);
  EXPECT_THAT(values, Each(4));
}

// The mean of 40000 draws lies within 5 standard errors, 5 / 200 of the deviation.
TEST(Initializer, NormalHasTheGivenDeviation) {
  const Moments found = moments(normal(0.5));
  EXPECT_NEAR(found.mean, 0, 0.0125);
  EXPECT_NEAR(found.deviation, 0.5, 0.01);
}

// fan 4 + 8, gain 1/2: the bound is sqrt(6 / 12) / 2 = 0.35355, the deviation bound / sqrt 3.
TEST(Initializer, XavierIsUniformWithinItsBound) {
  const Moments found = moments(xavier_uniform(4, 8, 0.5));
  EXPECT_NEAR(found.mean, 0, 0.005);
  EXPECT_NEAR(found.deviation, 0.20412, 0.002);
  EXPECT_LE(found.largest, 0.353554);
  EXPECT_GT(found.largest, 0.353);
}

}  // namespace
}  // namespace skein
