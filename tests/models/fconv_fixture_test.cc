// ConvS2S against parameters, outputs, losses and gradients of the published reference
// implementation.
#include "models/fconv_fixture.h"

#include <gtest/gtest.h>

#include "models/model_properties.h"
#include "skein/kernels/cross_entropy.h"

namespace skein {
namespace {

void expect_reference(const Tensor& actual, const std::vector<float>& expected, double tolerance,
                      const std::string& what) {
  expect_near<float>(actual.values<float>(), std::span<const float>(expected), tolerance, what);
}

class FConvFixture : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!shared_available("fixtures"))
      GTEST_SKIP() << "the reference values are not beside the checkout";
    fixture_ = std::make_unique<Fixture>(GetParam());
    model_ = fixture_fconv(*fixture_);
  }

  Loss loss(Tape& tape, const Batch& batch) const {
    const Variable features = model_->features(tape, batch);
    return cross_entropy(tape, features, model_->output(tape), batch.target.tokens, 0.1);
  }

  void expect_losses(const LossSums& sums, const std::string& name) const {
    const std::vector<float> expected = fixture_->floats(name);
    EXPECT_NEAR(sums.smoothed, expected[0], kForward * expected[0]);
    EXPECT_NEAR(sums.plain, expected[1], kForward * expected[1]);
  }

  std::unique_ptr<Fixture> fixture_;
  std::unique_ptr<FConv> model_;
};

TEST_P(FConvFixture, EncoderLogitsAttentionAndLossAgreeForEverySentence) {
  for (int s = 0; s < 3; ++s) {
    const std::string prefix = "s" + std::to_string(s) + ".";
    const Batch batch = fixture_batch(*fixture_, s, s + 1);
    Tape tape({.record = false, .training = false});
    const auto [keys, values] = model_->encode(tape, batch.source);
    expect_reference(keys.value(), fixture_->floats(prefix + "enc_x"), kForward, prefix + "enc_x");
    expect_reference(values.value(), fixture_->floats(prefix + "enc_y"), kForward,
                     prefix + "enc_y");
    Tensor logits = whole_logits(*model_, batch);
    expect_reference(logits, fixture_->floats(prefix + "logits"), kForward, prefix + "logits");
    kernels::log_softmax(logits, logits);
    expect_reference(logits, fixture_->floats(prefix + "lprobs"), kForward, prefix + "lprobs");
    expect_reference(model_->alignment(batch), fixture_->floats(prefix + "attn"), kForward,
                     prefix + "attn");
    expect_losses(loss(tape, batch).sums, prefix + "loss");
  }
}

TEST_P(FConvFixture, LossAndEveryGradientOfTheBatchAgree) {
  const Batch batch = fixture_batch(*fixture_, 0, 3);
  Tape tape({});
  const Loss result = loss(tape, batch);
  expect_losses(result.sums, "total.loss");
  tape.backward(result.variable);
  for (const Parameter& each : model_->parameters().parameters()) {
    expect_reference(each.variable.gradient()->tensor(),
                     fconv_reference_values(*fixture_, each.name, "grad."), kGradient, each.name);
  }
}

TEST_P(FConvFixture, StepByStepEqualsTheWholeSentence) {
  for (int s = 0; s < 3; ++s) {
    const Batch batch = fixture_batch(*fixture_, s, s + 1);
    const auto state = model_->start(batch.source, 1);
    std::vector<float> logits;
    for (const int32_t token : batch.target_input.tokens) {
      const Tensor row = model_->step(*state, std::span(&token, 1));
      logits.insert(logits.end(), row.values<float>().begin(), row.values<float>().end());
    }
    const std::vector<float> expected = fixture_->floats("s" + std::to_string(s) + ".logits");
    expect_near<float>(logits, std::span<const float>(expected), kForward, "logits step by step");
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, FConvFixture,
                         testing::Values("fconv_attn_all", "fconv_attn_second_nopos",
                                         "fconv_shared_embed"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace skein
