#include "skein/autograd/variable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/base/error.h"

namespace skein {
namespace {

using testing::ElementsAre;

Tensor pair(float a, float b) { return Tensor::from<float>({a, b}, {2}); }

TEST(Gradient, GathersContributions) {
  Gradient gradient;
  EXPECT_TRUE(gradient.empty());
  gradient.add(pair(1, 2));
  gradient.add(pair(10, 20));
  EXPECT_THAT(gradient.tensor().values<float>(), ElementsAre(11, 22));
  gradient.clear();
  EXPECT_TRUE(gradient.empty());
  EXPECT_FALSE(gradient.tensor().defined());
}

TEST(Gradient, CopiesOnWriteWhatAnotherHolds) {
  const Tensor shared = pair(1, 2);
  Gradient added, targeted;
  added.add(shared);
  added.add(pair(10, 20));
  targeted.add(shared);
  auto [buffer, accumulate] = targeted.target({2}, DType::kF32);
  EXPECT_TRUE(accumulate);
  buffer.data<float>()[0] += 5;
  EXPECT_THAT(shared.values<float>(), ElementsAre(1, 2));
  EXPECT_THAT(added.tensor().values<float>(), ElementsAre(11, 22));
  EXPECT_THAT(targeted.tensor().values<float>(), ElementsAre(6, 2));
}

TEST(Gradient, ChangesNoMoreOnceSealed) {
  Gradient gradient;
  gradient.add(pair(1, 2));
  gradient.seal();
  EXPECT_THROW(gradient.add(pair(1, 2)), Error);
  EXPECT_THROW(gradient.target({2}, DType::kF32), Error);
  EXPECT_THAT(gradient.tensor().values<float>(), ElementsAre(1, 2));
  gradient.clear();
  gradient.add(pair(3, 4));
  EXPECT_THAT(gradient.tensor().values<float>(), ElementsAre(3, 4));
}

TEST(Gradient, StaysInItsBufferOnceBound) {
  Tensor flat = Tensor::from<float>({7, 7, 7, 7}, {4});
  Gradient gradient;
  gradient.bind(flat.view(1, {2}));
  EXPECT_TRUE(gradient.empty());
  gradient.add(pair(1, 2));
  gradient.add(pair(1, 2));
  EXPECT_THAT(flat.values<float>(), ElementsAre(7, 2, 4, 7));
  gradient.clear();
  EXPECT_FALSE(gradient.target({2}, DType::kF32).accumulate);
  EXPECT_TRUE(gradient.target({2}, DType::kF32).accumulate);
}

TEST(Gradient, GathersBfloat16IntoABoundBufferOfFloat32) {
  Tensor flat = Tensor::zeros({2}, DType::kF32);
  Gradient gradient;
  gradient.bind(flat);
  gradient.add(pair(1, 2).converted(DType::kBF16));
  gradient.add(pair(1, 2).converted(DType::kBF16));
  EXPECT_THAT(flat.values<float>(), ElementsAre(2, 4));
}

TEST(Gradient, RefusesAnotherShape) {
  Gradient gradient;
  gradient.add(pair(1, 2));
  EXPECT_THROW(gradient.target({3}, DType::kF32), ShapeError);
}

TEST(Variable, IsUndefinedAtFirst) {
  const Variable none;
  EXPECT_FALSE(none.defined());
  EXPECT_FALSE(none.needs_gradient());
}

TEST(Variable, ParametersShareTheirPlaceAmongCopies) {
  const Variable parameter = Variable::parameter("w"), copy = parameter;
  parameter.bind_parameter(pair(1, 2), Tensor(), pair(0, 0));
  EXPECT_THAT(copy.value().values<float>(), ElementsAre(1, 2));
  EXPECT_TRUE(copy.needs_gradient());
  EXPECT_THROW(copy.value_as(DType::kBF16), ShapeError);
  parameter.bind_parameter(pair(3, 4), pair(3, 4).converted(DType::kBF16), Tensor());
  EXPECT_THAT(copy.value().values<float>(), ElementsAre(3, 4));
  EXPECT_EQ(copy.value_as(DType::kBF16).type(), DType::kBF16);
  EXPECT_FALSE(copy.needs_gradient());
}

}  // namespace
}  // namespace skein
