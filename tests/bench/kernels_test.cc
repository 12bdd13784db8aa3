#include "skein/bench/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "error_of.h"
#include "skein/base/parallel.h"

namespace skein {
namespace {

using testing::HasSubstr;

double work_of(DType type, const std::string& label) {
  for (const KernelCase& each : kernel_cases(type)) {
    if (each.label() == label) return each.work;
  }
  return 0;
}

TEST(KernelCases, HaveLabelsOfTheirOwn) {
  std::set<std::string> labels;
  for (const KernelCase& each : kernel_cases(DType::kBF16)) {
    EXPECT_TRUE(labels.insert(each.label()).second) << each.label();
  }
}

TEST(MeasureKernels, TakesThoseThatARegularExpressionFinds) {
  std::vector<std::string> found;
  measure_kernels(DType::kF32, {.filter = "^layer/512/512|^gelu", .seconds = 1e-4},
                  [&](const KernelSpeed& speed) {
                    found.push_back(speed.name);
                    EXPECT_GT(speed.seconds, 0);
                    EXPECT_GT(speed.work, 0);
                  });
  EXPECT_THAT(found, testing::ElementsAre("layer", "gelu"));
}

TEST(MeasureKernels, TellsWhatTheFilterDoesNotFind) {
  const auto refusal = [](const std::string& filter) {
    return error_of<UsageError>(
        [&] { measure_kernels(DType::kF32, {.filter = filter}, [](const KernelSpeed&) {}); });
  };
  EXPECT_THAT(refusal("xyzzy"), HasSubstr("no kernel matches 'xyzzy'; there are best_product, "));
  EXPECT_THAT(refusal("("), HasSubstr("'(' is no regular expression; expected one such as "));
}

// Operands of a wrong type or shape throw; one shape of each kernel is enough to see it.
TEST(KernelCases, RunInBothTypes) {
  for (const DType type : {DType::kF32, DType::kBF16}) {
    std::set<std::string> seen;
    for (const KernelCase& each : kernel_cases(type)) {
      EXPECT_GT(each.work, 0) << each.label();
      if (!seen.insert(each.name).second) continue;
      EXPECT_NO_THROW(each.prepare()()) << each.label();
    }
  }
}

// By hand: 2 operations for each of m n k; bytes of 4096 x 2048 values read and written, of 2 or 4
// bytes; 5 products of 2 operations for each pair of the 8 sentences of 512 and column.
TEST(KernelCases, CountTheWork) {
  EXPECT_EQ(work_of(DType::kF32, "layer/512/512/512"), 2.0 * 512 * 512 * 512);
  EXPECT_EQ(work_of(DType::kBF16, "copy/4096/2048"), 2.0 * 4096 * 2048 * 2);
  EXPECT_EQ(work_of(DType::kF32, "copy/4096/2048"), 2.0 * 4096 * 2048 * 4);
  EXPECT_EQ(work_of(DType::kF32, "attention_backward/512/512/8"), 5.0 * 2 * 8 * 512 * 512 * 512);
}

TEST(MeasureKernel, CallsAsLongAsAskedAndTellsItsClock) {
  int calls = 0;
  const KernelCase kernel = {
      .name = "counter", .shape = {}, .work = 1, .prepare = [&] { return [&] { ++calls; }; }};
  EXPECT_EQ(kernel.label(), "counter");
  const int before = threads();
  set_threads(1);
  const KernelSpeed alone = measure_kernel(kernel, 1e-3);
  EXPECT_TRUE(alone.processor_time);
  EXPECT_GT(alone.seconds, 0);
  // A call takes far less than a microsecond.
  EXPECT_GT(calls, 1000);
  set_threads(2);
  EXPECT_FALSE(measure_kernel(kernel, 1e-3).processor_time);
  set_threads(before);
}

}  // namespace
}  // namespace skein
