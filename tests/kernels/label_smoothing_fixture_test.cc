// Label-smoothed cross entropy against the published reference's losses and gradients.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fixture.h"
#include "skein/kernels/cross_entropy.h"

namespace skein {
namespace {

constexpr int64_t kPad = 1;

TEST(LabelSmoothingFixture, LossesLogProbabilitiesAndGradientsAgree) {
  if (!shared_available("fixtures/label_smoothing"))
    GTEST_SKIP() << "the reference values are not here";
  const Fixture fixture("label_smoothing");
  const std::vector<float> logits = fixture.floats("logits");
  const std::vector<int64_t> targets = fixture.integers("target");
  const auto words = static_cast<size_t>(fixture.shape("logits")[1]);
  // Our batches have no padding: its rows are left out.
  std::vector<float> rows;
  std::vector<float> log_probabilities;
  std::vector<int32_t> kept;
  const std::vector<float> all_log_probabilities = fixture.floats("lprobs");
  for (size_t row = 0; row < targets.size(); ++row) {
    if (targets[row] == kPad) continue;
    kept.push_back(static_cast<int32_t>(targets[row]));
    const auto begin = static_cast<int64_t>(row * words);
    const auto end = static_cast<int64_t>((row + 1) * words);
    rows.insert(rows.end(), logits.begin() + begin, logits.begin() + end);
    log_probabilities.insert(log_probabilities.end(), all_log_probabilities.begin() + begin,
                             all_log_probabilities.begin() + end);
  }
  const Shape shape{static_cast<int64_t>(kept.size()), static_cast<int64_t>(words)};
  const Tensor packed = Tensor::from(rows, shape);
  Tensor normalised = Tensor::uninitialized(shape, DType::kF32);
  kernels::log_softmax(packed, normalised);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(normalised.values<float>()[i], log_probabilities[i], 2e-5) << i;
  }
  for (const auto& [name, smoothing] :
       {std::pair("eps00", 0.0f), std::pair("eps10", 0.1f), std::pair("eps30", 0.3f)}) {
    const std::string prefix = std::string(name) + ".";
    Tensor gradient = Tensor::uninitialized(shape, DType::kF32);
    const kernels::CrossEntropySums sums =
        kernels::cross_entropy(packed, kept, smoothing, gradient);
    EXPECT_NEAR(sums.smoothed, fixture.floats(prefix + "loss")[0], 2e-5 * std::abs(sums.smoothed));
    EXPECT_NEAR(sums.plain, fixture.floats(prefix + "nll")[0], 2e-5 * std::abs(sums.plain));
    const std::vector<float> expected = fixture.floats(prefix + "grad_logits");
    size_t at = 0;
    for (size_t row = 0; row < targets.size(); ++row) {
      if (targets[row] == kPad) continue;
      for (size_t word = 0; word < words; ++word) {
        EXPECT_NEAR(gradient.values<float>()[at++], expected[row * words + word], 1e-4)
            << name << " row " << row;
      }
    }
  }
}

}  // namespace
}  // namespace skein
