#include "skein/autograd/tape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/autograd/functions.h"
#include "skein/base/error.h"

namespace skein {
namespace {

using kernels::Activation;
using testing::ElementsAre;

Variable row(std::vector<float> values, bool needs_gradient = true) {
  return Variable(Tensor::from<float>(values, {1, static_cast<int64_t>(values.size())}),
                  needs_gradient);
}

TEST(Tape, LeavesOutFunctionsWhoseOutputIsUnused) {
  Tape tape({});
  const Variable x = row({1, 2}), y = row({3, 4});
  const Variable used = add(tape, x, x);
  add(tape, x, y);
  linear(tape, x, Variable(Tensor::zeros({2, 2}, DType::kF32), true), Variable());
  tape.backward(used, Tensor::from<float>({1, 1}, {1, 2}));
  EXPECT_THAT(x.gradient()->tensor().values<float>(), ElementsAre(2, 2));
  EXPECT_TRUE(y.gradient()->empty());
}

// So that gradients can leave while others are computed.
TEST(Tape, TellsAfterEachOperationWhenNothingHoldsAVariableAnyMore) {
  const Variable first = Variable(Tensor::from<float>({1, 2, 3, 4}, {2, 2}), true);
  const Variable second = Variable(Tensor::from<float>({1, 0, 0, 1}, {2, 2}), true);
  const long holders_of_first = first.holders(), holders_of_second = second.holders();
  std::vector<std::pair<bool, bool>> final;
  Tape tape({.after_operation = [&] {
    final.emplace_back(first.holders() == holders_of_first, second.holders() == holders_of_second);
  }});
  Variable x = linear(tape, row({1, 2}), first, Variable());
  x = linear(tape, x, second, Variable());
  x = linear(tape, x, first, Variable());
  EXPECT_GT(first.holders(), holders_of_first);
  tape.backward(x, Tensor::from<float>({1, 1}, {1, 2}));
  EXPECT_THAT(final,
              ElementsAre(std::pair(false, false), std::pair(false, true), std::pair(true, true)));
}

TEST(Tape, KeepsNothingWhenItDoesNotRecord) {
  Tape tape({.record = false});
  const Variable y = linear(tape, row({1, 2}), row({3, 4}), Variable());
  EXPECT_FALSE(y.needs_gradient());
  EXPECT_THROW(tape.backward(y, Tensor::zeros({1, 1}, DType::kF32)), Error);
}

TEST(Tape, RefusesAGradientOfAnotherShapeOrType) {
  Tape tape({});
  const Variable x = row({1, 2});
  const Variable y = add(tape, x, x);
  EXPECT_THROW(tape.backward(y), ShapeError);
  EXPECT_THROW(tape.backward(y, Tensor::zeros({2, 1}, DType::kF32)), ShapeError);
  EXPECT_THROW(tape.backward(y, Tensor::zeros({1, 2}, DType::kBF16)), ShapeError);
}

TEST(Tape, DoesNotChangeTheGradientItWasGiven) {
  Tape tape({});
  const Variable x = row({1, 2});
  const Variable y = add(tape, x, x);
  const Tensor given = Tensor::from<float>({1, 1}, {1, 2});
  tape.backward(y, given);
  EXPECT_THAT(given.values<float>(), ElementsAre(1, 1));
}

TEST(Tape, GivesGradientsToSeveralOutputs) {
  Tape tape({});
  const Variable x = row({1, -1});
  const Variable first = activation(tape, Activation::kRelu, x);
  const Variable second = add(tape, x, x);
  first.gradient()->add(Tensor::from<float>({10, 10}, {1, 2}));
  tape.backward(second, Tensor::from<float>({1, 2}, {1, 2}));
  EXPECT_THAT(x.gradient()->tensor().values<float>(), ElementsAre(12, 4));
}

// Nobody else holds the value once the operation that kept it is gone.
TEST(Tape, FreesWhatOperationsKept) {
  Tape tape({});
  Tensor value = Tensor::from<float>({1, 2}, {1, 2});
  const Variable y = activation(tape, Activation::kGelu, Variable(value, true));
  EXPECT_FALSE(value.unique());
  tape.backward(y, Tensor::from<float>({1, 1}, {1, 2}));
  EXPECT_TRUE(value.unique());
}

TEST(Tape, FreesValuesInTheFirstStageWhereTheSecondDoesNotNeedThem) {
  Tape tape({});
  Tensor value = Tensor::from<float>({1, 2}, {1, 2});
  const Variable y = activation(tape, Activation::kGelu, Variable(value, true));
  tape.backward_inputs(y, Tensor::from<float>({1, 1}, {1, 2}));
  EXPECT_TRUE(value.unique());
  tape.backward_weights();
}

TEST(Tape, NamesTheFirstFunctionAndParameterWhoseValueIsNotFinite) {
  const Variable weight = Variable::parameter("decoder.output.weight");
  weight.bind_parameter(Tensor::from<float>({3e38f, 3e38f}, {1, 2}), Tensor(), Tensor());
  const auto overflow = [&](Tape::Options options) {
    Tape tape(options);
    linear(tape, row({3, 4}), weight, Variable());
  };
  EXPECT_NO_THROW(overflow({}));
  EXPECT_THAT([&] { overflow({.check_finite = true}); },
              testing::ThrowsMessage<NonFiniteError>(
                  "the output of linear with decoder.output.weight is not finite"));
}

TEST(Tape, CanRecordAgainAfterABackwardPass) {
  Tape tape({});
  const Variable x = row({1});
  tape.backward(add(tape, x, x), Tensor::from<float>({1}, {1, 1}));
  tape.backward(add(tape, x, x), Tensor::from<float>({10}, {1, 1}));
  EXPECT_THAT(x.gradient()->tensor().values<float>(), ElementsAre(22));
}

}  // namespace
}  // namespace skein
