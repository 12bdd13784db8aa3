// The gradient check itself: that it accepts what is right and finds what is wrong.
#include "autograd/gradient_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skein/autograd/functions.h"

namespace skein {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// `factor` times x, whose gradient claims to be `claimed`.
CheckedFunction scaled(float factor, float claimed) {
  return {.inputs = {{"x", {2, 3}}},
          .ours =
              [=](Tape& tape, std::span<const Variable> in) {
                Tensor y = in[0].value().copy();
                kernels::scale(factor, y);
                const Variable output(std::move(y), true);
                tape.record({.outputs = {output.gradient()},
                             .inputs =
                                 [dy = output.gradient(), x = in[0], claimed] {
                                   if (!x.needs_gradient()) return;
                                   Tensor dx = dy->tensor().copy();
                                   kernels::scale(claimed, dx);
                                   x.gradient()->add(std::move(dx));
                                 },
                             .weights = nullptr});
                return std::vector{output};
              },
          .twin =
              [](std::span<const plain::Matrix> in) {
                plain::Matrix y = in[0];
                for (double& value : y.values) value *= 3;
                return std::vector{y};
              }};
}

TEST(GradientCheck, AcceptsARightFunction) {
  EXPECT_THAT(disagreements(scaled(3, 3), 1), IsEmpty());
}

TEST(GradientCheck, FindsAWrongValue) {
  EXPECT_THAT(disagreements(scaled(3.001f, 3), 1), Contains(HasSubstr("output 0: element")));
}

TEST(GradientCheck, FindsAWrongGradient) {
  EXPECT_THAT(disagreements(scaled(3, 3.001f), 1), Contains(HasSubstr("the gradient to x")));
}

}  // namespace
}  // namespace skein
