// What holds for the Transformer in every setting: it agrees with a plain one in double precision,
// in values and gradients, and step by step equals the whole sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/model_properties.h"
#include "models/random_transformer.h"

namespace skein {
namespace {

class TransformerProperty : public testing::TestWithParam<int> {
 protected:
  TransformerProperty()
      : options_(GetParam() < kTransformerCombinations
                     ? transformer_combination(GetParam())
                     : adaptive_combination(GetParam() - kTransformerCombinations)),
        model_(random_transformer(options_)) {}

  TransformerOptions options_;
  std::unique_ptr<Transformer> model_;
};

TEST_P(TransformerProperty, FeaturesAgreeWithThePlainTransformer) {
  expect_features_of_the_twin(*model_, plain_twin(options_, *model_), vocabulary_of(options_));
}

// The gradient along a random direction in each parameter, with dropout everywhere.
TEST_P(TransformerProperty, EveryParametersGradientAgreesWithDifferencesOfThePlainTransformer) {
  options_.dropout = 0.1;
  options_.attention_dropout = 0.2;
  options_.activation_dropout = 0.3;
  options_.adaptive_dropout = 0.2;
  model_ = random_transformer(options_);
  const Batch batch = random_batch(options_, 3, 3);
  constexpr uint64_t kSeed = 5;
  const LossSums sums = gradients_of(*model_, batch, {.seed = kSeed}).sums;
  PlainTransformer plain = plain_twin(options_, *model_);
  const auto plain_loss = [&] {
    Tape masks({.seed = kSeed});
    return plain.loss(masks, batch, 0.1).smoothed;
  };
  EXPECT_NEAR(sums.smoothed, plain_loss(), 2e-5 * sums.smoothed);
  expect_gradients_of_the_twin(*model_, plain.parameters(), plain_loss);
}

TEST_P(TransformerProperty, ABatchGivesEverySentenceWhatItGetsAlone) {
  expect_sentences_as_alone(*model_, vocabulary_of(options_));
}

TEST_P(TransformerProperty, StepByStepEqualsTheWholeSentenceWhileBeamsBranch) {
  expect_steps_to_equal_the_whole(*model_, vocabulary_of(options_));
}

TEST_P(TransformerProperty, Bfloat16StaysNearFloat32) {
  expect_bfloat16_near_float32(*model_, vocabulary_of(options_));
}

INSTANTIATE_TEST_SUITE_P(Settings, TransformerProperty,
                         testing::Range(0, kTransformerCombinations + kAdaptiveCombinations));

}  // namespace
}  // namespace skein
