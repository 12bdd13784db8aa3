// What holds for the Transformer in every setting: it agrees with a plain one in double precision,
// in values and gradients, and step by step equals the whole sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/random_transformer.h"
#include "skein/autograd/loss.h"
#include "skein/base/error.h"

namespace skein {
namespace {

class TransformerProperty : public testing::TestWithParam<int> {
 protected:
  TransformerProperty()
      : options_(transformer_combination(GetParam())), model_(random_transformer(options_)) {}

  Tensor features(const Batch& batch) const {
    Tape tape({.record = false, .training = false});
    return model_->features(tape, batch).value();
  }

  TransformerOptions options_;
  std::unique_ptr<Transformer> model_;
};

double largest(std::span<const double> values) {
  double result = 1;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

void expect_near(std::span<const float> actual, std::span<const double> expected,
                 double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], tolerance * largest(expected)) << "element " << i;
  }
}

void expect_near(std::span<const float> actual, std::span<const float> expected, double tolerance) {
  const std::vector<double> wide(expected.begin(), expected.end());
  expect_near(actual, std::span<const double>(wide), tolerance);
}

TEST_P(TransformerProperty, FeaturesAgreeWithThePlainTransformer) {
  const PlainTransformer plain = plain_twin(options_, *model_);
  for (const int64_t sentences : {1, 4}) {
    const Batch batch = random_batch(options_, sentences, 3);
    Tape no_masks({.training = false});
    const plain::Matrix expected = plain.features(no_masks, batch);
    expect_near(features(batch).values<float>(), expected.values, 2e-5);
  }
}

// The gradient along a random direction in each parameter, with dropout everywhere.
TEST_P(TransformerProperty, EveryParametersGradientAgreesWithDifferencesOfThePlainTransformer) {
  options_.dropout = 0.1;
  options_.attention_dropout = 0.2;
  options_.activation_dropout = 0.3;
  model_ = random_transformer(options_);
  const Batch batch = random_batch(options_, 3, 3);
  constexpr uint64_t kSeed = 5;
  Tape tape({.seed = kSeed});
  const Loss loss = projected_cross_entropy(tape, {.features = model_->features(tape, batch),
                                                   .weight = model_->output().weight,
                                                   .bias = model_->output().bias,
                                                   .targets = batch.target.tokens,
                                                   .smoothing = 0.1});
  tape.backward(loss.variable);
  PlainTransformer plain = plain_twin(options_, *model_);
  const auto plain_loss = [&] {
    Tape masks({.seed = kSeed});
    return plain.loss(masks, batch, 0.1).smoothed;
  };
  EXPECT_NEAR(loss.sums.smoothed, plain_loss(), 2e-5 * loss.sums.smoothed);
  Random random(1);
  for (const Parameter& each : model_->parameters().parameters()) {
    SCOPED_TRACE(each.name);
    ASSERT_FALSE(each.variable.gradient()->empty());
    const auto gradient = each.variable.gradient()->tensor().values<float>();
    std::vector<double>& values = plain.parameters().at(each.name).values;
    const std::vector<double> centre = values;
    std::vector<double> direction;
    double expected = 0, norm = 0;
    for (const float value : gradient) {
      direction.push_back(random.normal());
      expected += direction.back() * double{value};
      norm += double{value} * double{value};
    }
    const auto loss_at = [&](double step) {
      for (size_t i = 0; i < values.size(); ++i) values[i] = centre[i] + step * direction[i];
      return plain_loss();
    };
    constexpr double kStep = 1e-6;
    const double difference = (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
    values = centre;
    EXPECT_NEAR(difference, expected, 1e-4 * std::max(std::sqrt(norm), 0.1));
  }
}

TEST_P(TransformerProperty, ABatchGivesEverySentenceWhatItGetsAlone) {
  const Batch batch = random_batch(options_, 5, 4);
  const Tensor together = features(batch);
  for (size_t s = 0; s < 5; ++s) {
    const Tensor part =
        together.slice(batch.target_input.offsets[s], batch.target_input.offsets[s + 1]);
    expect_near(features(sentence_alone(batch, s)).values<float>(), part.values<float>(), 1e-5);
  }
}

// Hypotheses branch, change places and vanish, as in beam search; then each is run whole.
TEST_P(TransformerProperty, StepByStepEqualsTheWholeSentenceWhileBeamsBranch) {
  constexpr int64_t kSentences = 3;
  const Batch batch = random_batch(options_, kSentences, 6);
  Random random(2);
  struct Hypothesis {
    size_t sentence;
    std::vector<int32_t> tokens;
  };
  std::vector<Hypothesis> hypotheses = {{0, {}}, {1, {}}, {2, {}}};
  const auto state = model_->start(batch.source, kSentences);
  for (int64_t position = 0; position < options_.max_positions; ++position) {
    const auto rows = static_cast<int64_t>(hypotheses.size());
    const std::vector<int32_t> previous = random_tokens(random, rows, kTargetWords);
    const Tensor logits = model_->step(*state, previous);
    Batch whole;
    for (size_t row = 0; row < hypotheses.size(); ++row) {
      hypotheses[row].tokens.push_back(previous[row]);
      if (model_->has_source()) {
        whole.source.append(batch.source.sentence(hypotheses[row].sentence));
      }
      whole.target_input.append(hypotheses[row].tokens);
    }
    const Tensor expected = project(Variable(features(whole)), model_->output());
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t last = (row + 1) * (position + 1) - 1;
      expect_near(logits.slice(row, row + 1).values<float>(),
                  expected.slice(last, last + 1).values<float>(), 1e-5);
    }
    const std::vector<int32_t> chosen = random_tokens(random, random_between(random, 1, 5), rows);
    state->select(chosen);
    std::vector<Hypothesis> next;
    for (const int32_t row : chosen) next.push_back(hypotheses[static_cast<size_t>(row)]);
    hypotheses = std::move(next);
  }
  EXPECT_THROW(model_->step(*state, std::vector<int32_t>(hypotheses.size())), ShapeError);
}

TEST_P(TransformerProperty, Bfloat16StaysNearFloat32) {
  const Batch batch = random_batch(options_, 4, 8);
  const Tensor wide = features(batch);
  Tape tape({.record = false, .training = false, .activations = DType::kBF16});
  const Tensor narrow = model_->features(tape, batch).value().converted(DType::kF32);
  double distance = 0, norm = 0;
  for (size_t i = 0; i < wide.values<float>().size(); ++i) {
    const double value = wide.values<float>()[i];
    distance += std::pow(double{narrow.values<float>()[i]} - value, 2);
    norm += value * value;
  }
  EXPECT_LT(std::sqrt(distance / norm), 0.05);
}

INSTANTIATE_TEST_SUITE_P(Settings, TransformerProperty,
                         testing::Range(0, kTransformerCombinations));

}  // namespace
}  // namespace skein
