// Language models against parameters, outputs, losses and gradients of the published reference
// implementation: gated convolutions and Transformers, with adaptive softmax and input.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "models/fconv_fixture.h"
#include "models/model_properties.h"
#include "models/transformer_fixture.h"
#include "skein/kernels/cross_entropy.h"

namespace skein {
namespace {

using Values = std::function<std::vector<float>(const std::string& name, const std::string& kind)>;

void expect_reference(const Tensor& actual, const std::vector<float>& expected, double tolerance,
                      const std::string& what) {
  expect_near<float>(actual.values<float>(), std::span<const float>(expected), tolerance, what);
}

// Every parameter's gradient, and nothing where none arrived.
void expect_gradients(Model& model, const std::string& kind, const Values& reference) {
  model.parameters().complete_gradients();
  for (const Parameter& each : model.parameters().parameters()) {
    expect_reference(each.variable.gradient()->tensor(), reference(each.name, kind), kGradient,
                     kind + each.name);
  }
}

Loss loss_of(Tape& tape, Model& model, const Batch& batch, double smoothing) {
  return cross_entropy(tape, model.features(tape, batch), model.output(tape), batch.target.tokens,
                       smoothing);
}

void expect_loss_and_gradients(Model& model, const Batch& batch, double expected,
                               const std::string& kind, const Values& reference) {
  model.parameters().clear_gradients();
  Tape tape({});
  const Loss loss = loss_of(tape, model, batch, 0);
  EXPECT_NEAR(loss.sums.plain, expected, kForward * expected);
  tape.backward(loss.variable);
  expect_gradients(model, kind, reference);
}

Tensor log_probabilities(const Model& model, const Batch& batch) {
  Tensor all = whole_logits(model, batch);
  kernels::log_softmax(all, all);
  return all;
}

// The same rows token by token.
Tensor log_probabilities_by_step(const Model& model, const Batch& batch) {
  const auto state = model.start({}, 1);
  std::vector<float> values;
  for (const int32_t token : batch.target_input.tokens) {
    const Tensor row = model.step(*state, std::span(&token, 1));
    values.insert(values.end(), row.values<float>().begin(), row.values<float>().end());
  }
  Tensor all = Tensor::from<float>(values, {std::ssize(batch.target.tokens), model.vocabulary()});
  kernels::log_softmax(all, all);
  return all;
}

// Sentences of the sets "s" and "q"; the targets of "q" are words whose tail the reference's loss
// leaves out, so that the right values are those of its log-probabilities.
struct Set {
  std::string name;
  int sentences;
};
const Set kSets[] = {{"s", 3}, {"q", 2}};

void expect_log_probabilities(const Model& model, const Fixture& fixture, const Set& set) {
  for (int s = 0; s < set.sentences; ++s) {
    const Batch batch = fixture_batch(fixture, s, s + 1, set.name);
    const std::string name = set.name + std::to_string(s) + ".lprobs";
    const std::vector<float> expected = fixture.floats(name);
    expect_reference(log_probabilities(model, batch), expected, kForward, name);
    expect_reference(log_probabilities_by_step(model, batch), expected, kForward,
                     name + " by step");
  }
}

class LanguageModelFixture : public testing::Test {
 protected:
  void SetUp() override {
    if (!shared_available("fixtures"))
      GTEST_SKIP() << "the reference values are not beside the checkout";
  }
};

Values fconv_values(const Fixture& fixture) {
  return [&fixture](const std::string& name, const std::string& kind) {
    return fconv_reference_values(fixture, name, kind);
  };
}

TEST_F(LanguageModelFixture, GatedConvolutionsWithASoftmaxAgree) {
  const Fixture fixture("fconv_lm_softmax");
  const auto model = fixture_fconv_lm(fixture);
  expect_log_probabilities(*model, fixture, kSets[0]);
  for (int s = 0; s < 3; ++s) {
    const std::string name = "s" + std::to_string(s) + ".out";
    expect_reference(whole_logits(*model, fixture_batch(fixture, s, s + 1)), fixture.floats(name),
                     kForward, name);
  }
  const Batch batch = fixture_batch(fixture, 0, 3);
  const std::vector<float> expected = fixture.floats("total.loss");
  expect_loss_and_gradients(*model, batch, expected[1], "grad_nll.", fconv_values(fixture));
  model->parameters().clear_gradients();
  Tape tape({});
  const Loss smoothed = loss_of(tape, *model, batch, 0.1);
  EXPECT_NEAR(smoothed.sums.smoothed, expected[0], kForward * expected[0]);
  tape.backward(smoothed.variable);
  expect_gradients(*model, "grad.", fconv_values(fixture));
}

TEST_F(LanguageModelFixture, GatedConvolutionsWithAnAdaptiveSoftmaxAgree) {
  const Fixture fixture("fconv_lm_adaptive");
  const auto model = fixture_fconv_lm(fixture);
  for (const Set& set : kSets) {
    expect_log_probabilities(*model, fixture, set);
    for (int s = 0; s < set.sentences; ++s) {
      const std::string name = set.name + std::to_string(s) + ".out";
      expect_reference(whole_features(*model, fixture_batch(fixture, s, s + 1, set.name)),
                       fixture.floats(name), kForward, name);
    }
  }
  expect_loss_and_gradients(*model, fixture_batch(fixture, 0, 3), fixture.floats("s.loss")[0],
                            "s.grad.", fconv_values(fixture));
  expect_loss_and_gradients(*model, fixture_batch(fixture, 0, 2, "q"),
                            fixture.floats("q.nll_from_lprobs")[0], "q.grad_full.",
                            fconv_values(fixture));
}

class AdaptiveTransformerFixture : public LanguageModelFixture,
                                   public testing::WithParamInterface<const char*> {};

TEST_P(AdaptiveTransformerFixture, OutputsLossesAndEveryGradientAgree) {
  const Fixture fixture(GetParam());
  const auto model = fixture_language_model(fixture);
  const Values values = [&fixture](const std::string& name, const std::string& kind) {
    return reference_values(fixture, name, kind);
  };
  for (const Set& set : kSets) {
    expect_log_probabilities(*model, fixture, set);
    for (int s = 0; s < set.sentences; ++s) {
      const std::string prefix = set.name + std::to_string(s) + ".";
      const Batch batch = fixture_batch(fixture, s, s + 1, set.name);
      expect_reference(whole_features(*model, batch), fixture.floats(prefix + "features"), kForward,
                       prefix + "features");
      // Smoothed over all words, which training leaves out: from the distributions.
      const Tensor all = log_probabilities(*model, batch);
      double plain = 0, total = 0;
      for (const float each : all.values<float>()) total -= double{each};
      for (size_t i = 0; i < batch.target.tokens.size(); ++i) {
        plain -= double{all.values<float>()[i * 31 + static_cast<size_t>(batch.target.tokens[i])]};
      }
      const std::vector<float> losses = fixture.floats(prefix + "label_smoothed_loss");
      const double other = 0.1 / 30;
      EXPECT_NEAR((0.9 - other) * plain + other * total, losses[0], kForward * losses[0]);
      EXPECT_NEAR(plain, losses[1], kForward * losses[1]);
    }
  }
  expect_loss_and_gradients(*model, fixture_batch(fixture, 0, 3), fixture.floats("s.loss")[0],
                            "s.grad.", values);
  expect_loss_and_gradients(*model, fixture_batch(fixture, 0, 2, "q"),
                            fixture.floats("q.nll_from_lprobs")[0], "q.grad_full.", values);
}

INSTANTIATE_TEST_SUITE_P(Reference, AdaptiveTransformerFixture,
                         testing::Values("transformer_lm_adaptive", "transformer_lm_adaptive_tied"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace skein
