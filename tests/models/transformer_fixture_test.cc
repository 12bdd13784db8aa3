// The Transformer against parameters, outputs, losses and gradients of the published reference
// implementation.
#include "models/transformer_fixture.h"

#include <gtest/gtest.h>

#include <span>

#include "models/model_properties.h"
#include "skein/kernels/cross_entropy.h"

namespace skein {
namespace {

void expect_reference(std::span<const float> actual, std::span<const float> expected,
                      double tolerance, const std::string& what) {
  expect_near<float>(actual, expected, tolerance, what);
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
    return cross_entropy(tape, model_->features(tape, batch), model_->output(tape),
                         batch.target.tokens, 0.1);
  }

  std::unique_ptr<Fixture> fixture_;
  std::unique_ptr<Transformer> model_;
};

TEST_P(TransformerFixture, EncoderLogitsAndAttentionAgreeForEverySentence) {
  for (int s = 0; s < 3; ++s) {
    const std::string prefix = "s" + std::to_string(s) + ".";
    const Batch batch = fixture_batch(*fixture_, s, s + 1);
    Tape tape({.record = false, .training = false});
    expect_reference(model_->encode(tape, batch.source).value().values<float>(),
                     fixture_->floats(prefix + "enc_out"), kForward, prefix + "enc_out");
    Tensor logits = project(model_->features(tape, batch), model_->output(tape));
    expect_reference(logits.values<float>(), fixture_->floats(prefix + "logits"), kForward,
                     prefix + "logits");
    kernels::log_softmax(logits, logits);
    expect_reference(logits.values<float>(), fixture_->floats(prefix + "lprobs"), kForward,
                     prefix + "lprobs");
    expect_reference(model_->alignment(batch).values<float>(), fixture_->floats(prefix + "attn"),
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
    expect_reference(each.variable.gradient()->tensor().values<float>(),
                     reference_values(*fixture_, each.name, "grad."), kGradient, each.name);
  }
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
    expect_reference(logits, expected, kForward, "stepwise logits");
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, TransformerFixture,
                         testing::Values("transformer_postnorm", "transformer_prenorm_learned",
                                         "transformer_shared_all"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace skein
