// The Transformer against parameters, outputs, losses and gradients of the published reference
// implementation.
#include "models/transformer_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "skein/autograd/loss.h"
#include "skein/kernels/cross_entropy.h"

namespace skein {
namespace {

// The fixtures' README: forward 2e-5, gradients 1e-4, each times max(1, largest absolute value).
constexpr double kForward = 2e-5;
constexpr double kGradient = 1e-4;

void expect_near(std::span<const float> actual, const std::vector<float>& expected,
                 double tolerance, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double largest = 1;
  for (const float value : expected) largest = std::max(largest, std::abs(double{value}));
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], tolerance * largest) << what << " element " << i;
  }
}

class TransformerFixture : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!shared_available("fixtures"))
      GTEST_SKIP() << "the reference values are not beside the checkout";
    fixture_ = std::make_unique<Fixture>(GetParam());
    model_ = fixture_model(*fixture_);
  }

  Loss loss(Tape& tape, const Batch& batch) const {
    return projected_cross_entropy(tape, {.features = model_->features(tape, batch),
                                          .weight = model_->output().weight,
                                          .bias = {},
                                          .targets = batch.target.tokens,
                                          .smoothing = 0.1});
  }

  std::unique_ptr<Fixture> fixture_;
  std::unique_ptr<Transformer> model_;
};

TEST_P(TransformerFixture, EncoderLogitsAndAttentionAgreeForEverySentence) {
  for (int s = 0; s < 3; ++s) {
    const std::string prefix = "s" + std::to_string(s) + ".";
    const Batch batch = fixture_batch(*fixture_, s, s + 1);
    Tape tape({.record = false, .training = false});
    expect_near(model_->encode(tape, batch.source).value().values<float>(),
                fixture_->floats(prefix + "enc_out"), kForward, prefix + "enc_out");
    Tensor logits = project(model_->features(tape, batch), model_->output());
    expect_near(logits.values<float>(), fixture_->floats(prefix + "logits"), kForward,
                prefix + "logits");
    kernels::log_softmax(logits, logits);
    expect_near(logits.values<float>(), fixture_->floats(prefix + "lprobs"), kForward,
                prefix + "lprobs");
    expect_near(model_->alignment(batch).values<float>(), fixture_->floats(prefix + "attn"),
                kForward, prefix + "attn");
    const std::vector<float> losses = fixture_->floats(prefix + "loss");
    const LossSums sums = loss(tape, batch).sums;
    EXPECT_NEAR(sums.smoothed, losses[0], kForward * losses[0]);
    EXPECT_NEAR(sums.plain, losses[1], kForward * losses[1]);
  }
}

TEST_P(TransformerFixture, LossAndEveryGradientOfTheBatchAgree) {
  const Batch batch = fixture_batch(*fixture_, 0, 3);
  Tape tape({});
  const Loss result = loss(tape, batch);
  const std::vector<float> expected = fixture_->floats("total.loss");
  EXPECT_NEAR(result.sums.smoothed, expected[0], kForward * expected[0]);
  EXPECT_NEAR(result.sums.plain, expected[1], kForward * expected[1]);
  tape.backward(result.variable);
  for (const Parameter& each : model_->parameters().parameters()) {
    expect_near(each.variable.gradient()->tensor().values<float>(),
                reference_values(*fixture_, each.name, "grad."), kGradient, each.name);
  }
}

TEST_P(TransformerFixture, TwoStagesGiveTheSameGradientsToTheBit) {
  const Batch batch = fixture_batch(*fixture_, 0, 3);
  Tape whole({});
  whole.backward(loss(whole, batch).variable);
  const Tensor expected = model_->parameters().gradients().copy();
  model_->parameters().clear_gradients();
  Tape staged({});
  staged.backward_inputs(loss(staged, batch).variable);
  staged.backward_weights();
  EXPECT_TRUE(std::ranges::equal(model_->parameters().gradients().values<float>(),
                                 expected.values<float>()));
}

TEST_P(TransformerFixture, StepByStepEqualsTheWholeSentence) {
  for (int s = 0; s < 3; ++s) {
    const Batch batch = fixture_batch(*fixture_, s, s + 1);
    const std::vector<float> expected = fixture_->floats("s" + std::to_string(s) + ".logits");
    const auto state = model_->start(batch.source, 1);
    std::vector<float> logits;
    for (const int32_t token : batch.target_input.tokens) {
      const Tensor row = model_->step(*state, std::span(&token, 1));
      logits.insert(logits.end(), row.values<float>().begin(), row.values<float>().end());
    }
    expect_near(logits, expected, kForward, "stepwise logits");
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, TransformerFixture,
                         testing::Values("transformer_postnorm", "transformer_prenorm_learned",
                                         "transformer_shared_all"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace skein
